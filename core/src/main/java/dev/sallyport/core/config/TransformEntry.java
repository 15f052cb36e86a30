package dev.sallyport.core.config;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code transforms}, or the section of a transform that has one: bound and validated, not yet made.
 * Equality is that of the configuration, wherever it stands.
 *
 * @param <C> the transform's config record
 */
public final class TransformEntry<C extends Record> {

    private final TransformFactory<C> factory;
    private final C config;
    private final Locations places;
    private final String pointer;
    private final Capabilities capabilities;

    /**
     * An entry that does not come from a file.
     *
     * @param at where it stands
     * @param pointer JSON pointer of its config
     */
    public TransformEntry(TransformFactory<C> factory, C config, Location at, String pointer) {
        this(factory, config, Locations.everywhere(at), pointer, factory.capabilities(config));
    }

    TransformEntry(TransformFactory<C> factory, C config, Locations places, String pointer, Capabilities capabilities) {
        this.factory = factory;
        this.config = config;
        this.places = places;
        this.pointer = pointer;
        this.capabilities = capabilities;
    }

    /** The transform's name in the configuration. */
    public String name() {
        return factory.descriptor().name();
    }

    /** The name that tells it from other entries of its kind; empty when it has none. */
    public String instanceName() {
        return factory.uniqueName(config);
    }

    /** The factory. */
    public TransformFactory<C> factory() {
        return factory;
    }

    /** The bound configuration. */
    public C config() {
        return config;
    }

    /** The capabilities of the instance. */
    public Capabilities capabilities() {
        return capabilities;
    }

    /** The files that making the instance reads, by pointers below its configuration. */
    public Map<String, Path> files() {
        return factory.files(config);
    }

    /** Reports what is allowed but probably a mistake. */
    public void doubts(Consumer<ConfigProblem> warnings) {
        factory.doubts(
                config,
                (field, message, expected) -> warnings.accept(problem(new ConfigException(field, message, expected))));
    }

    /**
     * Makes the instance. May block.
     *
     * @throws ConfigException also for any other exception of the factory
     */
    public Transform create(BuildContext context) throws ConfigException {
        try {
            return factory.create(config, context);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            throw PluginFault.in(factory, "create", e);
        }
    }

    /** The report line for a failure to make the instance. */
    public ConfigProblem problem(ConfigException e) {
        return problemAt(pointer + Pointers.relative(e.pointer()), e);
    }

    /** As {@link #problem}, where the pointer of the exception is that of the whole configuration. */
    public ConfigProblem problemAnywhere(ConfigException e) {
        return problemAt(e.pointer(), e);
    }

    private ConfigProblem problemAt(String where, ConfigException e) {
        return new ConfigProblem(places.of(where), where, String.valueOf(e.getMessage()), e.expected());
    }

    /** Where it stands. */
    public Location at() {
        return places.of(pointer);
    }

    /** JSON pointer of its config. */
    public String pointer() {
        return pointer;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TransformEntry<?> that
                && name().equals(that.name())
                && factory.getClass() == that.factory.getClass()
                && config.equals(that.config);
    }

    @Override
    public int hashCode() {
        return config.hashCode();
    }

    /** Without the configuration. */
    @Override
    public String toString() {
        return "TransformEntry[" + name() + " at " + at() + "]";
    }
}

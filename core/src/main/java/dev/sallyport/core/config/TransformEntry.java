package dev.sallyport.core.config;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
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
    private final Location at;
    private final String pointer;

    /**
     * An entry.
     *
     * @param at where it stands
     * @param pointer JSON pointer of its config
     */
    public TransformEntry(TransformFactory<C> factory, C config, Location at, String pointer) {
        this.factory = factory;
        this.config = config;
        this.at = at;
        this.pointer = pointer;
    }

    /** The transform's name in the configuration. */
    public String name() {
        return factory.descriptor().name();
    }

    /** The factory. */
    public TransformFactory<C> factory() {
        return factory;
    }

    /** The bound configuration. */
    public C config() {
        return config;
    }

    /** What the instance will do. */
    public Capabilities capabilities() {
        return factory.capabilities(config);
    }

    /** Makes the instance. May block. */
    public Transform create(BuildContext context) throws ConfigException {
        return factory.create(config, context);
    }

    /** The report line of what went wrong when the instance was made. */
    public ConfigProblem problem(ConfigException e) {
        return new ConfigProblem(at, pointer + e.pointer(), String.valueOf(e.getMessage()), e.expected());
    }

    /** Where it stands. */
    public Location at() {
        return at;
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
        return "TransformEntry[" + name() + " at " + at + "]";
    }
}

package dev.sallyport.core.config;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An entry of {@code transforms}, or the section of a transform that has one: bound and validated, not yet made.
 *
 * @param <C> the transform's config record
 */
public final class TransformEntry<C extends Record> extends PluginEntry<TransformFactory<C>, C> {

    private final Capabilities capabilities;

    /**
     * An entry that does not come from a file.
     *
     * @param at its place
     * @param pointer JSON pointer of its config
     */
    public TransformEntry(TransformFactory<C> factory, C config, Location at, String pointer) {
        this(
                factory.descriptor().name(),
                factory,
                config,
                Locations.everywhere(at),
                pointer,
                factory.capabilities(config));
    }

    TransformEntry(
            String name,
            TransformFactory<C> factory,
            C config,
            Locations places,
            String pointer,
            Capabilities capabilities) {
        super(name, factory, config, places, pointer);
        this.capabilities = capabilities;
    }

    /**
     * The same entry without the text that it was read from, of which only the beginning is known then: for one of
     * thousands that are kept.
     */
    public TransformEntry<C> withoutPlaces() {
        return new TransformEntry<>(name(), factory(), config(), Locations.everywhere(at()), pointer(), capabilities);
    }

    /** The name that tells it from other entries of its kind; empty when it has none. */
    public String instanceName() {
        return factory().uniqueName(config());
    }

    /** Whether this is a section of its own, which runs after the entries of {@code transforms}. */
    public boolean isSection() {
        return factory().descriptor().isSection();
    }

    /** The capabilities of the instance. */
    public Capabilities capabilities() {
        return capabilities;
    }

    /** The files that making the instance reads, by pointers below its configuration. */
    public Map<String, Path> files() {
        return factory().files(config());
    }

    /** Reports what is allowed but probably a mistake. */
    public void doubts(Consumer<ConfigProblem> warnings) {
        Problems doubts =
                (field, message, expected) -> warnings.accept(problem(new ConfigException(field, message, expected)));
        if (capabilities.admits().isEmpty()) {
            for (String rule : RulePlaces.in(config()).ofUpgrades()) {
                doubts.add(
                        rule + "/upgrade",
                        "has no effect here, where rules do not admit",
                        "the protocols in a rule of the allowlist");
            }
        }
        factory().doubts(config(), doubts);
    }

    /**
     * Makes the instance. May block.
     *
     * @throws ConfigException also for any other exception of the factory
     */
    public Transform create(BuildContext context) throws ConfigException {
        try {
            return factory().create(config(), context);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            throw PluginFault.in(factory(), "create", e);
        }
    }

    /** As {@link #problem}, where the pointer of the exception is that of the whole configuration. */
    public ConfigProblem problemAnywhere(ConfigException e) {
        return problemAt(e.pointer(), e);
    }

    /** Where a value of its config stands; {@code below} is a JSON pointer relative to it, empty for the whole. */
    public Location at(String below) {
        return places.of(pointer() + below);
    }
}

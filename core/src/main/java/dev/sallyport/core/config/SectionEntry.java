package dev.sallyport.core.config;

import dev.sallyport.spi.ConfigException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A section that a {@link SectionFactory} declares: bound and validated. Equality is that of the configuration, wherever
 * it stands.
 *
 * @param <C> the section's record
 */
public final class SectionEntry<C extends Record> {

    private final SectionFactory<C> factory;
    private final C config;
    private final Locations places;
    private final String pointer;

    SectionEntry(SectionFactory<C> factory, C config, Locations places, String pointer) {
        this.factory = factory;
        this.config = config;
        this.places = places;
        this.pointer = pointer;
    }

    /** The key at the top level. */
    public String name() {
        return factory.section();
    }

    /** Who declares it. */
    public SectionFactory<C> factory() {
        return factory;
    }

    /** The bound section. */
    public C config() {
        return config;
    }

    /** The files that must be readable, by pointers below the section. */
    public Map<String, Path> files() {
        return factory.files(config);
    }

    /** Where somebody is to listen, by pointers of the whole configuration. */
    Map<String, ListenAddress> listeners() {
        Map<String, ListenAddress> listeners = new TreeMap<>();
        factory.listeners(config)
                .forEach((field, address) -> listeners.put(pointer + Pointers.relative(field), address));
        return listeners;
    }

    /** Tells what is allowed but probably not meant. */
    public void doubts(Consumer<ConfigProblem> warnings) {
        factory.doubts(
                config,
                (field, message, expected) -> warnings.accept(problem(new ConfigException(field, message, expected))));
    }

    /** The report line of what went wrong later; the exception's pointer is one below the section. */
    public ConfigProblem problem(ConfigException e) {
        String where = pointer + Pointers.relative(e.pointer());
        return new ConfigProblem(places.of(where), where, String.valueOf(e.getMessage()), e.expected());
    }

    /**
     * The report line of a fault in code that the section was given to; without its message where that may show a secret.
     *
     * @param plugin whose code it is
     * @param method that was called
     */
    public ConfigProblem fault(Object plugin, String method, Throwable fault) {
        boolean secret = RecordShape.of(config.getClass()).holdsSecret();
        return problem(PluginFault.in(plugin, method, fault, secret));
    }

    /** Where it stands. */
    public Location at() {
        return places.of(pointer);
    }

    /** JSON pointer of the section. */
    public String pointer() {
        return pointer;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SectionEntry<?> that
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
        return "SectionEntry[" + name() + " at " + at() + "]";
    }
}

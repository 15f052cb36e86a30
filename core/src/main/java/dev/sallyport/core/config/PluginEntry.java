package dev.sallyport.core.config;

import dev.sallyport.spi.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A part of the configuration that a plug-in declares: bound and validated. Equal if name, factory and configuration
 * are equal, wherever they are.
 *
 * @param <F> the plug-in's factory
 * @param <C> its config record
 */
public abstract sealed class PluginEntry<F, C extends Record> permits SectionEntry, TransformEntry {

    private final String name;
    private final F factory;
    private final C config;
    final Locations places;
    private final String pointer;

    /** 0 until it is asked for: interning asks again and again. Two threads may both make it. */
    private int hash;

    PluginEntry(String name, F factory, C config, Locations places, String pointer) {
        this.name = name;
        this.factory = factory;
        this.config = config;
        this.places = places;
        this.pointer = pointer;
    }

    /** The name, as the configuration has it. */
    public final String name() {
        return name;
    }

    /** The factory. */
    public final F factory() {
        return factory;
    }

    /** The bound configuration. */
    public final C config() {
        return config;
    }

    /** JSON pointer of its configuration. */
    public final String pointer() {
        return pointer;
    }

    /** The place of its configuration. */
    public final Location at() {
        return places.of(pointer);
    }

    /** The report line for a failure; the exception's pointer is relative to the configuration. */
    public final ConfigProblem problem(ConfigException e) {
        return problemAt(pointer + Pointers.relative(e.pointer()), e);
    }

    final ConfigProblem problemAt(String where, ConfigException e) {
        return new ConfigProblem(places.of(where), where, String.valueOf(e.getMessage()), e.expected());
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof PluginEntry<?, ?> that
                && getClass() == that.getClass()
                && name.equals(that.name)
                && factory.getClass() == that.factory.getClass()
                && config.equals(that.config);
    }

    @Override
    public final int hashCode() {
        int known = hash;
        if (known == 0) {
            known = config.hashCode();
            hash = known;
        }
        return known;
    }

    /** Without the configuration. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + name + " at " + at() + "]";
    }
}

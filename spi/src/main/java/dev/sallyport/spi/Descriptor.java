package dev.sallyport.spi;

import java.util.Objects;

/**
 * The name and the configuration type of a factory.
 *
 * @param <C> the config record
 */
public final class Descriptor<C extends Record> {

    private final String name;
    private final Class<C> configType;
    private final String summary;
    private final boolean section;

    private Descriptor(String name, Class<C> configType, String summary, boolean section) {
        if (!name.matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException("name: " + name + " (expected: lower snake case)");
        }
        this.name = name;
        this.configType = Objects.requireNonNull(configType, "configType");
        this.summary = Objects.requireNonNull(summary, "summary");
        this.section = section;
    }

    /** A plug-in that is configured as {@code name} in a list ({@code transforms}, or a source's {@code type}). */
    public static <C extends Record> Descriptor<C> of(String name, Class<C> configType, String summary) {
        return new Descriptor<>(name, configType, summary, false);
    }

    /** A transform that is configured by the top-level section {@code name}, and stands last in the pipeline. */
    public static <C extends Record> Descriptor<C> section(String name, Class<C> configType, String summary) {
        return new Descriptor<>(name, configType, summary, true);
    }

    /** The name in the configuration. */
    public String name() {
        return name;
    }

    /** The record that the configuration is bound to. */
    public Class<C> configType() {
        return configType;
    }

    /** One sentence. */
    public String summary() {
        return summary;
    }

    /** Whether the name is that of a top-level section. */
    public boolean isSection() {
        return section;
    }
}

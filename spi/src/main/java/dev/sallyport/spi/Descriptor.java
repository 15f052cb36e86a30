package dev.sallyport.spi;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * The name and the configuration type of a factory.
 *
 * @param <C> the config record
 */
public final class Descriptor<C extends Record> {

    private final String name;
    private final List<String> names;
    private final Class<C> configType;
    private final String summary;
    private final boolean section;

    private Descriptor(List<String> names, Class<C> configType, String summary, boolean section) {
        this.name = names.getFirst();
        if (!name.matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException("name: " + name + " (expected: lower snake case)");
        }
        this.names = List.copyOf(names);
        this.configType = Objects.requireNonNull(configType, "configType");
        this.summary = Objects.requireNonNull(summary, "summary");
        this.section = section;
    }

    /** A plug-in that is configured as {@code name} in a list ({@code transforms}, or a source's {@code type}). */
    public static <C extends Record> Descriptor<C> of(String name, Class<C> configType, String summary) {
        return new Descriptor<>(List.of(name), configType, summary, false);
    }

    /** A transform that is configured by the top-level section {@code name}, and stands last in the pipeline. */
    public static <C extends Record> Descriptor<C> section(String name, Class<C> configType, String summary) {
        return new Descriptor<>(List.of(name), configType, summary, true);
    }

    /**
     * The same plug-in under further names. A configuration may use any of them; messages, audit records and metrics
     * repeat the one that it uses.
     *
     * @param others lower snake case; the first character may be a digit
     * @throws IllegalStateException for a section, which has one name
     */
    public Descriptor<C> alsoNamed(String... others) {
        if (section) {
            throw new IllegalStateException("section " + name + ": further names (expected: one name)");
        }
        List<String> all = new ArrayList<>(names);
        for (String other : others) {
            if (!other.matches("[a-z0-9][a-z0-9_]*")) {
                throw new IllegalArgumentException("name: " + other + " (expected: lower snake case)");
            }
            all.add(other);
        }
        if (new HashSet<>(all).size() < all.size()) {
            throw new IllegalArgumentException("names: " + all + " (expected: each once)");
        }
        return new Descriptor<>(all, configType, summary, section);
    }

    /** The name in the configuration; the first where there are several. */
    public String name() {
        return name;
    }

    /** All names in the configuration, which are equal; {@link #name} is the first. */
    public List<String> names() {
        return names;
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

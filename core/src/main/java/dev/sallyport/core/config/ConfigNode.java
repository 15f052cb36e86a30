package dev.sallyport.core.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node of a configuration, with its place. Immutable. */
sealed interface ConfigNode {

    /** The place where it begins. */
    Location at();

    /** The kind of node, for messages: {@code a list}. */
    String description();

    /** Whether it is null, which is the same as absent. */
    default boolean isNull() {
        return false;
    }

    /**
     * A mapping.
     *
     * @param entries in the order of the file
     */
    record Mapping(Location at, Map<String, Entry> entries) implements ConfigNode {

        static Mapping empty(Location at) {
            return new Mapping(at, Map.of());
        }

        @Nullable ConfigNode get(String key) {
            Entry entry = entries.get(key);
            return entry == null ? null : entry.value();
        }

        Mapping with(String key, ConfigNode value) {
            Map<String, Entry> changed = new LinkedHashMap<>(entries);
            changed.put(key, new Entry(value.at(), value));
            return new Mapping(at, changed);
        }

        Mapping without(String key) {
            Map<String, Entry> changed = new LinkedHashMap<>(entries);
            changed.remove(key);
            return new Mapping(at, changed);
        }

        @Override
        public String description() {
            return "a mapping";
        }
    }

    /** A value of a mapping and the place of its key. */
    record Entry(Location keyAt, ConfigNode value) {}

    /** A list. */
    record Sequence(Location at, List<ConfigNode> items) implements ConfigNode {

        @Override
        public String description() {
            return "a list";
        }
    }

    /**
     * A string, number, boolean or null.
     *
     * @param text as it stands in the source, without quotes and escapes
     */
    record Scalar(Location at, String text, Type type) implements ConfigNode {

        @Override
        public boolean isNull() {
            return type == Type.NULL;
        }

        @Override
        public String description() {
            return type.description;
        }
    }

    /** The type of a scalar in the core schema of YAML 1.2. */
    enum Type {
        NULL("null"),
        BOOLEAN("a boolean"),
        INTEGER("a number"),
        FLOAT("a number"),
        STRING("a string"),
        /** A string as which YAML 1.1 had booleans: {@code yes}, {@code no}, {@code on} or {@code off}, without quotes. */
        SWITCH("a string"),
        /** Comes from a source of plain text, such as the environment: has any type as which it can be parsed. */
        TEXT("a string");

        private final String description;

        Type(String description) {
            this.description = description;
        }

        static Type ofPlain(String text) {
            return switch (text) {
                case "", "~", "null", "Null", "NULL" -> NULL;
                case "true", "True", "TRUE", "false", "False", "FALSE" -> BOOLEAN;
                case "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF" -> SWITCH;
                default -> number(text);
            };
        }

        /** Whether it is a string. */
        boolean isString() {
            return this == STRING || this == SWITCH || this == TEXT;
        }

        private static Type number(String text) {
            char first = text.charAt(0);
            if (first != '-' && first != '+' && first != '.' && (first < '0' || first > '9')) {
                return STRING;
            }
            if (text.matches("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")) {
                return INTEGER;
            }
            return text.matches("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?") ? FLOAT : STRING;
        }
    }
}

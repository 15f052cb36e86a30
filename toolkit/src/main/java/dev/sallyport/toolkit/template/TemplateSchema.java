package dev.sallyport.toolkit.template;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fields that a template may use; a template that uses another does not compile. A value that must not be exposed
 * is simply not declared. Immutable.
 *
 * <pre>{@code
 * TemplateSchema schema = TemplateSchema.builder()
 *         .text("Timestamp")
 *         .text("Body")
 *         .texts("Credentials", Set.of("key-id"))
 *         .build();
 * }</pre>
 */
public final class TemplateSchema {

    private final Map<String, Slot> fields;
    private final Map<String, Map<String, Slot>> maps;
    private final int size;

    /** The slot and kind of a value. */
    record Slot(int index, Kind kind) {}

    private TemplateSchema(Builder builder) {
        this.fields = Map.copyOf(builder.fields);
        Map<String, Map<String, Slot>> copies = new TreeMap<>();
        builder.maps.forEach((name, slots) -> copies.put(name, Map.copyOf(slots)));
        this.maps = Map.copyOf(copies);
        this.size = builder.size;
    }

    /** Declares fields. */
    public static Builder builder() {
        return new Builder();
    }

    /** Values to be filled in for one rendering. */
    public TemplateValues values() {
        return new TemplateValues(this);
    }

    @Nullable Slot field(String name) {
        return fields.get(name);
    }

    @Nullable Slot entry(String map, String key) {
        Map<String, Slot> entries = maps.get(map);
        return entries == null ? null : entries.get(key);
    }

    boolean isMap(String name) {
        return maps.containsKey(name);
    }

    int size() {
        return size;
    }

    /** The names that may follow a dot, for messages. */
    String names() {
        TreeMap<String, String> names = new TreeMap<>();
        fields.keySet().forEach(name -> names.put(name, "." + name));
        maps.keySet().forEach(name -> names.put(name, "." + name + ".<name>"));
        return names.isEmpty() ? "no field" : "one of " + String.join(", ", names.values());
    }

    /** The names of the entries of a map, for messages. */
    String names(String map) {
        Map<String, Slot> entries = maps.getOrDefault(map, Map.of());
        return entries.isEmpty()
                ? "no entry: the map is empty"
                : "one of " + String.join(", ", new TreeMap<>(entries).keySet());
    }

    /** Declares fields, each name once. Not thread-safe. */
    public static final class Builder {

        private final Map<String, Slot> fields = new LinkedHashMap<>();
        private final Map<String, Map<String, Slot>> maps = new LinkedHashMap<>();
        private int size;

        private Builder() {}

        /** A field that holds text or bytes. */
        public Builder text(String name) {
            return field(name, Kind.TEXT);
        }

        /** A field that holds a whole number. */
        public Builder number(String name) {
            return field(name, Kind.NUMBER);
        }

        /** A field that is true or false. */
        public Builder truth(String name) {
            return field(name, Kind.TRUTH);
        }

        /** A map of texts with these keys, read as {@code .Name.key} or {@code index .Name "key"}. */
        public Builder texts(String name, Collection<String> keys) {
            requireNew(name);
            Map<String, Slot> slots = new LinkedHashMap<>();
            for (String key : keys) {
                slots.computeIfAbsent(key, unused -> new Slot(size++, Kind.TEXT));
            }
            maps.put(name, slots);
            return this;
        }

        /** The schema with the declared fields. */
        public TemplateSchema build() {
            return new TemplateSchema(this);
        }

        private Builder field(String name, Kind kind) {
            requireNew(name);
            fields.put(name, new Slot(size++, kind));
            return this;
        }

        private void requireNew(String name) {
            if (fields.containsKey(name) || maps.containsKey(name)) {
                throw new IllegalArgumentException("a field declared twice: " + name);
            }
        }
    }
}

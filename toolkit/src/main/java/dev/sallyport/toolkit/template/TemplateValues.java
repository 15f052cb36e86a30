package dev.sallyport.toolkit.template;

import dev.sallyport.toolkit.template.TemplateSchema.Slot;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The values of one rendering. Bytes are not copied and must not change until it is over. Not thread-safe. Never prints
 * what it holds.
 */
public final class TemplateValues {

    private final TemplateSchema schema;
    private final @Nullable Object[] slots;

    TemplateValues(TemplateSchema schema) {
        this.schema = schema;
        this.slots = new @Nullable Object[schema.size()];
    }

    /** Sets a text field, written as UTF-8. */
    public TemplateValues set(String field, String value) {
        return set(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets a text field to bytes, written as they are. */
    public TemplateValues set(String field, byte[] value) {
        return put(schema.field(field), Kind.TEXT, value, field);
    }

    /** Sets a number. */
    public TemplateValues set(String field, long value) {
        return put(schema.field(field), Kind.NUMBER, value, field);
    }

    /** Sets a field to true or false. */
    public TemplateValues set(String field, boolean value) {
        return put(schema.field(field), Kind.TRUTH, value, field);
    }

    /** Sets an entry of a map, written as UTF-8. */
    public TemplateValues set(String map, String key, String value) {
        return set(map, key, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets an entry of a map to bytes, written as they are. */
    public TemplateValues set(String map, String key, byte[] value) {
        return put(schema.entry(map, key), Kind.TEXT, value, map);
    }

    private TemplateValues put(@Nullable Slot slot, Kind kind, Object value, String name) {
        if (slot == null || slot.kind() != kind) {
            throw new IllegalArgumentException("no such field of this kind: " + name);
        }
        slots[slot.index()] = value;
        return this;
    }

    Object get(int slot) {
        Object value = slots[slot];
        if (value == null) {
            throw new IllegalStateException("a field that the template uses has no value");
        }
        return value;
    }

    boolean isOf(TemplateSchema other) {
        return schema == other;
    }

    @Override
    public String toString() {
        return "TemplateValues[" + slots.length + " slots]";
    }
}

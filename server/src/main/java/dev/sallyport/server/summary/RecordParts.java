package dev.sallyport.server.summary;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads config records of plug-ins, whose types this module does not know. Pure functions. */
final class RecordParts {

    private RecordParts() {}

    /** The components by name, in their order; without those that are null. */
    static Map<String, Object> of(Record record) {
        Map<String, Object> parts = new LinkedHashMap<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            Object value = read(component.getAccessor(), record);
            if (value != null) {
                parts.put(component.getName(), value);
            }
        }
        return parts;
    }

    /** Whether there is such a component, and it is true. */
    static boolean isTrue(Record record, String name) {
        return Boolean.TRUE.equals(of(record).get(name));
    }

    private static @Nullable Object read(Method accessor, Record record) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("config record " + record.getClass().getName() + " cannot be read", e);
        }
    }
}

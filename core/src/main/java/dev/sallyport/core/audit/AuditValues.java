package dev.sallyport.core.audit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The values that annotations may have. Records are encoded later, on another thread: mutable values are copied when
 * they are passed in, and values that cannot be encoded are refused there, where their author sees it.
 */
final class AuditValues {

    private static final int MAX_DEPTH = 16;

    private AuditValues() {}

    static Object copy(Object value) {
        return copy(value, 0);
    }

    static Map<String, Object> copy(Map<?, ?> fields) {
        return copy(fields, 0);
    }

    private static Map<String, Object> copy(Map<?, ?> fields, int depth) {
        Map<String, Object> copy = new LinkedHashMap<>();
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            if (!(field.getKey() instanceof String key)) {
                throw new IllegalArgumentException("audit value: a map's key is no string (expected: string keys)");
            }
            copy.put(key, copy(field.getValue(), depth + 1));
        }
        return copy;
    }

    private static Object copy(@Nullable Object value, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("audit value: nested too deeply (expected: at most 16 levels)");
        }
        if (value instanceof String text) {
            return text;
        }
        return switch (value) {
            case Boolean truth -> truth;
            case AtomicInteger number -> number.get();
            case AtomicLong number -> number.get();
            case Number number -> number;
            case Map<?, ?> map -> copy(map, depth);
            case Collection<?> collection -> copy(collection, depth);
            case null, default ->
                throw new IllegalArgumentException("audit value: "
                        + (value == null ? "null" : value.getClass().getName())
                        + " (expected: string, number, boolean, list or map)");
        };
    }

    private static List<Object> copy(Collection<?> values, int depth) {
        List<Object> copy = new ArrayList<>(values.size());
        for (Object value : values) {
            copy.add(copy(value, depth + 1));
        }
        return copy;
    }
}

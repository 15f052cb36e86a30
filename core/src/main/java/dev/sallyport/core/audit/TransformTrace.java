package dev.sallyport.core.audit;

import dev.sallyport.spi.Trace;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One transform's entry in a record. Belongs to the exchange's loop, as its record does. */
public final class TransformTrace implements Trace {

    private final AuditRecord record;
    final String name;
    String action = "allow";
    long durationNanos;

    @Nullable String error;

    Map<String, Object> annotations = Map.of();

    TransformTrace(AuditRecord record, String name) {
        this.record = record;
        this.name = name;
    }

    /** What the transform did: {@code allow} until said otherwise, {@code reject}, {@code stub}, {@code error}. */
    public TransformTrace action(String newAction) {
        action = newAction;
        return this;
    }

    /** How long it took, in nanoseconds; waiting for the body not included. */
    public TransformTrace durationNanos(long newDurationNanos) {
        durationNanos = newDurationNanos;
        return this;
    }

    /** What went wrong; never a secret. */
    public TransformTrace error(String newError) {
        error = newError;
        return this;
    }

    /** {@inheritDoc} Lists and maps are copied. */
    @Override
    public void annotate(String key, Object value) {
        Object copy = AuditValues.copy(value);
        if (annotations.isEmpty()) {
            annotations = new LinkedHashMap<>(4);
        }
        annotations.put(key, copy);
    }

    @Override
    public void group(String groupName, Map<String, ?> fields) {
        record.group(groupName, fields);
    }

    @Override
    public boolean reserve(int bytes) {
        return record.reserve(bytes);
    }

    @Override
    public void warn() {
        record.warn();
    }
}

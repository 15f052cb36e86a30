package dev.sallyport.core.audit;

import dev.sallyport.spi.GateVerdict;
import dev.sallyport.spi.Trace;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One transform's entry in a record. Belongs to the exchange's loop, as its record does. */
public final class TransformTrace implements Trace {

    private final MutableAuditRecord record;
    private final TransformId id;
    String action = "allow";
    long durationNanos;

    @Nullable String error;

    Map<String, Object> annotations = Map.of();

    TransformTrace(MutableAuditRecord record, TransformId id) {
        this.record = record;
        this.id = id;
    }

    /** Whether it is the entry of this transform, and not of another that is called the same. */
    @SuppressWarnings("ReferenceEquality") // one object for all entries of a transform
    boolean isOf(TransformId transform) {
        return id == transform;
    }

    /** The transform. */
    public String name() {
        return id.name();
    }

    /** The name that distinguishes it from others of its kind; empty when it has none. */
    public String instance() {
        return id.instance();
    }

    /** How long it took to decide, in nanoseconds: with all that it waited for, the body included. */
    public long durationNanos() {
        return durationNanos;
    }

    /** The transform's action: {@code allow} unless set, {@code reject}, {@code stub} or {@code error}. */
    public TransformTrace action(String newAction) {
        action = newAction;
        return this;
    }

    /** As {@link #durationNanos()}. */
    public TransformTrace durationNanos(long newDurationNanos) {
        durationNanos = newDurationNanos;
        return this;
    }

    /** What went wrong; never a secret. */
    public TransformTrace error(String newError) {
        error = newError;
        return this;
    }

    /** What it did. */
    public String action() {
        return action;
    }

    /** What went wrong; null when nothing did. */
    public @Nullable String error() {
        return error;
    }

    /** Its notes. */
    public Map<String, Object> annotations() {
        return Collections.unmodifiableMap(annotations);
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

    @Override
    public void verdict(GateVerdict verdict) {
        record.verdict(id.name(), verdict);
    }
}

package dev.sallyport.core.audit;

import java.nio.ByteBuffer;

/** Receives every record that has been written, for embedders and tests. Called by the writer's thread, in order. */
@FunctionalInterface
public interface AuditListener {

    /** Ignores all records. */
    AuditListener NONE = (record, line) -> {};

    /**
     * A record has been written. An exception is logged and otherwise ignored.
     *
     * @param line its JSON in UTF-8 without line feed, read-only, valid during the call; may be read to its end
     */
    void written(AuditRecord record, ByteBuffer line);

    /** Both, this one first; {@code next} receives a record even when this one throws. */
    default AuditListener and(AuditListener next) {
        if (equals(NONE)) {
            return next;
        }
        return (record, line) -> {
            int start = line.position();
            int end = line.limit();
            try {
                written(record, line);
            } finally {
                next.written(record, line.limit(end).position(start));
            }
        };
    }
}

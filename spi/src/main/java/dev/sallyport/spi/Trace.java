package dev.sallyport.spi;

import java.util.Map;

/**
 * One transform's entry in the audit record. Values are strings, numbers, booleans, or lists and string-keyed maps of
 * these. Never put a secret here. Not thread-safe: use it only from the call or stage that it was handed to.
 *
 * <p>Body rewriters, observers and trailer editors that an inline transform or step returned may go on using the trace
 * that they were made with until their body has ended: they run on the exchange's loop, before the record is written.
 */
public interface Trace {

    /** Sets annotation {@code key} of this transform. */
    void annotate(String key, Object value);

    /** Sets a top-level group of the audit record, such as {@code body_capture}. */
    void group(String name, Map<String, ?> fields);

    /**
     * Reserves memory for content that is kept for the audit record, such as the beginning of a body. Call it before
     * keeping the content. The reservation ends when the record has been written.
     *
     * @return false when all records together hold as much as they may: the content must not be kept
     */
    boolean reserve(int bytes);

    /** Raises the level of the audit record to WARN, for policies that warn without refusing. */
    void warn();

    /**
     * Notes what a gate says of the destination, for those who report on egress; it is not part of the JSON. Of several
     * gates, the last one that was asked counts.
     */
    default void verdict(GateVerdict verdict) {}
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.TraceParent;

/** The fields by which a workload tells its origins of the trace that a request belongs to (W3C Trace Context). */
final class TraceFields {

    private static final String TRACEPARENT = "traceparent";
    private static final String TRACESTATE = "tracestate";

    /** What is longer is no {@code traceparent} of any known version. */
    private static final int LONGEST = 256;

    private TraceFields() {}

    /** Tells the record which trace the request belongs to. Several fields are none (3.2). */
    static void note(HeaderBlock headers, MutableAuditRecord record) {
        int at = headers.indexOf(TRACEPARENT, 0);
        if (at >= 0 && headers.indexOf(TRACEPARENT, at + 1) < 0) {
            String value = headers.value(at);
            if (value.length() <= LONGEST) {
                record.traceParent(value);
            }
        }
    }

    /**
     * Does what {@code proxy.trace} says, before transforms see the head, so that signatures cover what is sent. A field
     * that cannot be read continues no trace and stays as it is.
     */
    static void apply(ProxySection.Trace mode, HeaderBlock headers, MutableAuditRecord record) {
        if (mode == ProxySection.Trace.STRIP) {
            headers.removeAll(TRACEPARENT);
            headers.removeAll(TRACESTATE);
        } else if (mode == ProxySection.Trace.CONTINUE) {
            TraceParent parent = TraceParent.parse(record.traceParent());
            if (parent != null) {
                String spanId = TraceParent.newSpanId();
                record.spanId(spanId);
                headers.setValue(headers.indexOf(TRACEPARENT, 0), parent.from(spanId));
            }
        }
    }
}

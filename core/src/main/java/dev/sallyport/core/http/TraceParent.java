package dev.sallyport.core.http;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A {@code traceparent} field (W3C Trace Context, 3.2): the trace that a request belongs to, and the span that sent it.
 *
 * @param traceId 32 lowercase hexadecimal digits, not all 0
 * @param parentId 16 lowercase hexadecimal digits, not all 0
 * @param flags 0 to 255; the lowest bit says that the sender records the trace
 */
public record TraceParent(String traceId, String parentId, int flags) {

    private static final int TRACE_ID = 3;
    private static final int PARENT_ID = 36;
    private static final int FLAGS = 53;

    /** The length of version 00, and the least of others. */
    private static final int LENGTH = 55;

    private static final int SAMPLED = 1;

    /** Reads the value of a field; null if it is none. A later version is read as the first one (3.2.4). */
    public static @Nullable TraceParent parse(String value) {
        if (value.length() < LENGTH || !isFramed(value)) {
            return null;
        }
        String traceId = value.substring(TRACE_ID, PARENT_ID - 1);
        String parentId = value.substring(PARENT_ID, FLAGS - 1);
        return isId(traceId) && isId(parentId)
                ? new TraceParent(traceId, parentId, HexFormat.fromHexDigits(value, FLAGS, LENGTH))
                : null;
    }

    /** Version, dashes and flags. */
    private static boolean isFramed(String value) {
        boolean first = value.startsWith("00-");
        return isHex(value, 0, TRACE_ID - 1)
                && !value.startsWith("ff")
                && value.charAt(TRACE_ID - 1) == '-'
                && value.charAt(PARENT_ID - 1) == '-'
                && value.charAt(FLAGS - 1) == '-'
                && isHex(value, FLAGS, LENGTH)
                && (value.length() == LENGTH || (!first && value.charAt(LENGTH) == '-'));
    }

    private static boolean isId(String id) {
        return isHex(id, 0, id.length()) && !id.chars().allMatch(digit -> digit == '0');
    }

    private static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    /** A new identifier for a span: 16 digits, at random. */
    public static String newSpanId() {
        long id;
        do {
            id = ThreadLocalRandom.current().nextLong();
        } while (id == 0);
        return HexFormat.of().toHexDigits(id);
    }

    /** Whether the sender records the trace. */
    public boolean sampled() {
        return (flags & SAMPLED) != 0;
    }

    /** The field that names another span of the same trace, in version 00. */
    public String from(String spanId) {
        return "00-" + traceId + "-" + spanId + "-" + HexFormat.of().toHexDigits((byte) flags);
    }
}

package dev.sallyport.transforms.bodycapture;

import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.Trace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps the beginning of one body and records it at the end. */
final class Capture implements BodyObserver {

    static final String ERROR = "body_capture_error";

    private static final int FIRST_BYTES = 1024;
    private static final String NO_ROOM = "there is no memory for more captured bytes";
    private static final String BROKEN_OFF = "the body was aborted";

    private final int maxBytes;
    private final Trace trace;
    private byte[] kept = {};
    private int size;
    private boolean over;
    private String error = "";

    Capture(int maxBytes, Trace trace) {
        this.maxBytes = maxBytes;
        this.trace = trace;
    }

    @Override
    public void data(ByteBuffer bytes) {
        int taken = Math.min(bytes.remaining(), maxBytes - size);
        if (over || !hasRoomFor(taken)) {
            return;
        }
        over = taken < bytes.remaining();
        bytes.get(kept, size, taken);
        size += taken;
    }

    private boolean hasRoomFor(int more) {
        if (more > kept.length - size) {
            long doubled = Math.max(FIRST_BYTES, kept.length * 2L);
            int capacity = (int) Math.min(maxBytes, Math.max((long) size + more, doubled));
            if (!trace.reserve(capacity - kept.length)) {
                over = true;
                error = NO_ROOM;
                return false;
            }
            kept = Arrays.copyOf(kept, capacity);
        }
        return true;
    }

    @Override
    public boolean satisfied() {
        return over;
    }

    @Override
    public void withheld(String why) {
        error = why;
    }

    @Override
    public void end(boolean complete) {
        if (!complete && error.isEmpty() && size > 0 && !over) {
            error = BROKEN_OFF;
        }
        if (!error.isEmpty()) {
            trace.annotate(ERROR, error);
        }
        if (size > 0) {
            record(over || !error.isEmpty());
        }
        kept = new byte[0];
    }

    /** @param partial whether there was, or may have been, more */
    private void record(boolean partial) {
        int length = partial ? Utf8.wholeCharacters(kept, size) : size;
        String text = new String(kept, 0, length, StandardCharsets.UTF_8);
        if (!Utf8.isExact(text, kept, length)) {
            trace.annotate("not_utf8", true);
        }
        Map<String, Object> group = new LinkedHashMap<>();
        group.put("request_body", text);
        if (partial) {
            group.put("request_body_truncated", true);
        }
        trace.group("body_capture", group);
    }
}

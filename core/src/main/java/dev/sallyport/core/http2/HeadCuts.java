package dev.sallyport.core.http2;

import dev.sallyport.core.loop.PacedReads;
import io.netty.buffer.ByteBuf;

/**
 * Cuts what was read behind each field section (RFC 9113, 4.3): a request of some bytes, which HPACK lets be full of what
 * came before, may take as long as a whole body. Bytes that are no frames are cut anywhere. One for each connection.
 */
public final class HeadCuts implements PacedReads.Cuts {

    /** How long the preface of a client is (RFC 9113, 3.4), without its SETTINGS. */
    public static final int PREFACE = 24;

    private static final int HEADER = 9;
    private static final int HEADERS = 1;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;

    /** How much of the frame, or of what came before the first, is still to come. */
    private int left;

    /** How much of the next frame's header has come, and what of it counts. */
    private int got;

    private int length;
    private int type;
    private boolean last;

    /** Whether a field section ends with the frame. */
    private boolean ends;

    /** @param before how many bytes precede the first frame */
    public HeadCuts(int before) {
        left = before;
    }

    @Override
    public int next(ByteBuf in, int most) {
        int first = in.readerIndex();
        int end = first + most;
        int at = first;
        while (at < end) {
            if (left > 0) {
                int some = Math.min(left, end - at);
                at += some;
                left -= some;
            } else {
                header(in.getUnsignedByte(at));
                at++;
            }
            if (ends && left == 0) {
                ends = false;
                return at - first;
            }
        }
        return most;
    }

    private void header(int value) {
        switch (got) {
            case 0, 1, 2 -> length = length << 8 | value;
            case 3 -> type = value;
            case 4 -> last = (type == HEADERS || type == CONTINUATION) && (value & END_HEADERS) != 0;
            default -> {}
        }
        got++;
        if (got == HEADER) {
            left = length;
            ends = last;
            length = 0;
            got = 0;
        }
    }
}

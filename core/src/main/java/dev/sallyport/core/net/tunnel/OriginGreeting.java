package dev.sallyport.core.net.tunnel;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The first bytes of an origin that has been sent none. */
final class OriginGreeting {

    private static final byte[] STATUS_LINE = "HTTP/".getBytes(StandardCharsets.US_ASCII);

    /** TLS records are of the types 20 (change_cipher_spec) to 23 (RFC 8446, 5.1). */
    private static final int FIRST_RECORD_TYPE = 20;

    private static final int LAST_RECORD_TYPE = 23;
    private static final int TLS_MAJOR = 3;

    /** A frame's head, and SETTINGS (RFC 9113, 4.1 and 6.5). */
    private static final int FRAME_HEAD = 9;

    private static final int SETTINGS = 4;
    private static final int SETTING = 6;

    private OriginGreeting() {}

    /**
     * Whether servers of HTTP or TLS say this unasked: the SETTINGS of HTTP/2, which need not wait for a client's (RFC 9113,
     * 3.4); a response such as 408; an alert.
     */
    static boolean isOfHttpOrTls(ByteBuf first) {
        int at = first.readerIndex();
        int length = first.readableBytes();
        return isStatusLine(first, at, length) || isRecord(first, at, length) || isSettings(first, at, length);
    }

    private static boolean isStatusLine(ByteBuf first, int at, int length) {
        if (length < STATUS_LINE.length) {
            return false;
        }
        for (int i = 0; i < STATUS_LINE.length; i++) {
            if (first.getByte(at + i) != STATUS_LINE[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isRecord(ByteBuf first, int at, int length) {
        if (length < 2) {
            return false;
        }
        int type = first.getUnsignedByte(at);
        return type >= FIRST_RECORD_TYPE && type <= LAST_RECORD_TYPE && first.getUnsignedByte(at + 1) == TLS_MAJOR;
    }

    /** On the connection itself, without flags. */
    private static boolean isSettings(ByteBuf first, int at, int length) {
        return length >= FRAME_HEAD
                && first.getUnsignedMedium(at) % SETTING == 0
                && first.getUnsignedByte(at + 3) == SETTINGS
                && first.getUnsignedByte(at + 4) == 0
                && first.getInt(at + 5) == 0;
    }
}

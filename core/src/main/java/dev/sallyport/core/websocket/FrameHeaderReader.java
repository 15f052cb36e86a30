package dev.sallyport.core.websocket;

/** Reads a frame header byte by byte (RFC 6455, 5.2). Checks nothing. */
final class FrameHeaderReader {

    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int FIN = 0x80;
    static final int RSV1 = 0x40;

    private static final int MASKED = 0x80;
    private static final int MASK_BYTES = 4;

    private int first;
    private int second;
    private int read;
    private int lengthBytes;
    private long length;
    private int mask;

    /** Takes the next byte; returns true when it was the last one of the header. */
    boolean take(byte next) {
        int value = next & 0xff;
        if (read == 0) {
            first = value;
        } else if (read == 1) {
            second = value;
            int stated = value & ~MASKED;
            lengthBytes = stated == 126 ? 2 : stated == 127 ? 8 : 0;
            length = lengthBytes == 0 ? stated : 0;
            mask = 0;
        } else if (read < 2 + lengthBytes) {
            length = length << 8 | value;
        } else {
            mask = mask << 8 | value;
        }
        read++;
        if (read < 2 || read < 2 + lengthBytes + (masked() ? MASK_BYTES : 0)) {
            return false;
        }
        read = 0;
        return true;
    }

    /** Whether no byte of a header has been taken. */
    boolean atStart() {
        return read == 0;
    }

    int opcode() {
        return first & 0x0f;
    }

    boolean fin() {
        return (first & FIN) != 0;
    }

    boolean rsv1() {
        return (first & RSV1) != 0;
    }

    /** Whether a bit without a defined meaning is set. */
    boolean otherBits() {
        return (first & 0x30) != 0;
    }

    boolean control() {
        return opcode() >= CLOSE;
    }

    int first() {
        return first;
    }

    boolean masked() {
        return (second & MASKED) != 0;
    }

    /** Bytes of the payload; negative when the field has its highest bit set. */
    long length() {
        return length;
    }

    /** The masking key, first byte in the highest place; 0 when there is none. */
    int mask() {
        return mask;
    }

    /** Whether the length is encoded in more bytes than it needs. */
    boolean wasteful() {
        return (lengthBytes == 2 && length < 126) || (lengthBytes == 8 && length >= 0 && length < 65_536);
    }
}

package dev.sallyport.core.dns;

/** Numbers of the protocol (RFC 1035, RFC 6891), and the walk over names. */
final class DnsProtocol {

    static final int HEADER = 12;
    static final int MAX_NAME = 255;
    static final int MAX_MESSAGE = 65535;
    static final int PLAIN_UDP = 512;

    /** An OPT record without options. */
    static final int OPT_LENGTH = 11;

    static final int QR = 0x8000;
    static final int OPCODE = 0x7800;
    static final int AA = 0x0400;
    static final int TC = 0x0200;
    static final int RD = 0x0100;
    static final int RA = 0x0080;
    static final int AD = 0x0020;
    static final int CD = 0x0010;

    static final int NOERROR = 0;
    static final int FORMERR = 1;
    static final int SERVFAIL = 2;
    static final int NXDOMAIN = 3;
    static final int NOTIMP = 4;
    static final int REFUSED = 5;
    static final int BADVERS = 16;

    static final int IN = 1;

    static final int A = 1;
    static final int CNAME = 5;
    static final int SOA = 6;
    static final int PTR = 12;
    static final int AAAA = 28;
    static final int OPT = 41;
    static final int IXFR = 251;
    static final int AXFR = 252;
    static final int ANY = 255;

    private static final int POINTER = 0xC0;

    /** The most labels of a name: a pointer to another pointer is never needed. */
    private static final int MAX_POINTERS = 127;

    private DnsProtocol() {}

    static int u8(byte[] bytes, int at) {
        return bytes[at] & 0xFF;
    }

    static int u16(byte[] bytes, int at) {
        return u8(bytes, at) << 8 | u8(bytes, at + 1);
    }

    static boolean isPointer(int length) {
        return (length & POINTER) == POINTER;
    }

    /**
     * The offset after the name that begins here, or -1 when it is malformed. A pointer ends it and is not followed.
     */
    static int skipName(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end) {
            int length = u8(bytes, at);
            if (isPointer(length)) {
                return at + 2 <= end ? at + 2 : -1;
            }
            if (length > 63 || at + 1 + length - from > MAX_NAME) {
                return -1;
            }
            at += 1 + length;
            if (length == 0) {
                return at;
            }
        }
        return -1;
    }

    /**
     * As {@link #skipName}, but follows pointers: also -1 when they do not lead to a whole name. Each must point before
     * the part of the name that it ends, and their number is limited, so this terminates.
     */
    static int nameEnd(byte[] bytes, int from, int end) {
        int after = skipName(bytes, from, end);
        int begin = from;
        int at = from;
        int written = 0;
        int limit = end;
        int pointers = 0;
        while (after >= 0) {
            if (at >= limit) {
                return -1;
            }
            int length = u8(bytes, at);
            if (isPointer(length)) {
                int target = at + 2 <= limit ? target(bytes, at) : begin;
                if (target >= begin || target < HEADER || ++pointers > MAX_POINTERS) {
                    return -1;
                }
                begin = target;
                at = target;
                limit = bytes.length;
                continue;
            }
            written += 1 + length;
            if (length > 63 || written > MAX_NAME) {
                return -1;
            }
            if (length == 0) {
                return after;
            }
            at += 1 + length;
        }
        return -1;
    }

    /** The target of a pointer. */
    static int target(byte[] bytes, int pointer) {
        return u16(bytes, pointer) & 0x3FFF;
    }

    static byte lower(byte octet) {
        return octet >= 'A' && octet <= 'Z' ? (byte) (octet + ('a' - 'A')) : octet;
    }
}

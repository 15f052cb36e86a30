package dev.sallyport.toolkit.match;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Text and bits of addresses. An IPv6 address is two longs; an IPv4 address is held in the upper half of the first, so
 * that both families share the code that compares prefixes.
 */
final class IpBits {

    /** The bits 64 to 95 of an IPv4-mapped address (RFC 4291, 2.5.5.2). */
    private static final long MAPPED = 0xFFFFL;

    private IpBits() {}

    /** The 32 bits of a strict dotted quad (four decimal numbers without leading zeros), or -1. */
    static long v4(String text, int from, int to) {
        long bits = 0;
        int at = from;
        for (int part = 0; part < 4; part++) {
            int start = at;
            int value = 0;
            while (at < to && at - start < 3 && isDigit(text.charAt(at))) {
                value = value * 10 + text.charAt(at++) - '0';
            }
            boolean leadingZero = at - start > 1 && text.charAt(start) == '0';
            if (at == start || leadingZero || value > 255) {
                return -1;
            }
            bits = bits << 8 | value;
            if (part < 3 && (at == to || text.charAt(at++) != '.')) {
                return -1;
            }
        }
        return at == to ? bits : -1;
    }

    /**
     * Parses an IPv6 address (RFC 4291, 2.2; no brackets, no zone).
     *
     * @param bits receives the two halves
     * @return whether the text is an address
     */
    static boolean v6(String text, int from, int to, long[] bits) {
        int[] groups = new int[8];
        int count = 0;
        int gap = -1;
        int at = from;
        if (text.startsWith("::", at) && at + 2 <= to) {
            gap = 0;
            at += 2;
        }
        while (at < to) {
            if (count == 8) {
                return false;
            }
            int end = groupEnd(text, at, to);
            if (end == to && text.indexOf('.', at, to) >= 0) {
                long tail = v4(text, at, to);
                if (tail < 0 || count > 6) {
                    return false;
                }
                groups[count++] = (int) (tail >>> 16);
                groups[count++] = (int) (tail & 0xFFFF);
                break;
            }
            int value = hex(text, at, end);
            if (value < 0) {
                return false;
            }
            groups[count++] = value;
            at = end;
            if (at < to) {
                at++;
                if (at < to && text.charAt(at) == ':' && gap < 0) {
                    gap = count;
                    at++;
                } else if (at == to) {
                    return false;
                }
            }
        }
        if (gap < 0 ? count != 8 : count > 7) {
            return false;
        }
        bits[0] = 0;
        bits[1] = 0;
        for (int i = 0; i < count; i++) {
            int place = gap < 0 || i < gap ? i : i + 8 - count;
            bits[place >> 2] |= (long) groups[i] << (48 - 16 * (place & 3));
        }
        return true;
    }

    private static int groupEnd(String text, int from, int to) {
        int end = text.indexOf(':', from, to);
        return end < 0 ? to : end;
    }

    private static int hex(String text, int from, int to) {
        if (to == from || to - from > 4) {
            return -1;
        }
        int value = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    /** One half of a canonical IPv6 text (as made by {@link #text(long, long)}), without allocating. */
    static long half(String canonical, boolean high) {
        int gap = canonical.indexOf("::");
        int place = 0;
        int value = 0;
        long half = 0;
        for (int i = 0; i <= canonical.length(); i++) {
            char c = i < canonical.length() ? canonical.charAt(i) : ':';
            if (c != ':') {
                value = value << 4 | Character.digit(c, 16);
                continue;
            }
            if (place < 4 == high) {
                half |= (long) value << (48 - 16 * (place & 3));
            }
            value = 0;
            place++;
            if (i == gap) {
                place = 8 - groupsAfter(canonical, gap);
                i++;
            }
        }
        return half;
    }

    private static int groupsAfter(String canonical, int gap) {
        if (gap + 2 == canonical.length()) {
            return 1;
        }
        int groups = 1;
        for (int i = gap + 2; i < canonical.length(); i++) {
            if (canonical.charAt(i) == ':') {
                groups++;
            }
        }
        return groups;
    }

    /** Whether the bits are an IPv4-mapped address (RFC 4291, 2.5.5.2). */
    static boolean mapped(long high, long low) {
        return high == 0 && low >>> 32 == MAPPED;
    }

    /** The text of an IPv4 address. */
    static String text(int v4) {
        return (v4 >>> 24) + "." + (v4 >>> 16 & 0xFF) + "." + (v4 >>> 8 & 0xFF) + "." + (v4 & 0xFF);
    }

    /** The canonical text of an IPv6 address (RFC 5952), without a dotted tail. */
    static String text(long high, long low) {
        int gap = -1;
        int gapLength = 1;
        for (int i = 0; i < 8; i++) {
            int run = 0;
            while (i + run < 8 && group(high, low, i + run) == 0) {
                run++;
            }
            if (run > gapLength) {
                gap = i;
                gapLength = run;
            }
            i += Math.max(0, run - 1);
        }
        StringBuilder out = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == gap) {
                out.append("::");
                i += gapLength - 1;
                continue;
            }
            if (i > 0 && out.charAt(out.length() - 1) != ':') {
                out.append(':');
            }
            out.append(Integer.toHexString(group(high, low, i)));
        }
        return out.toString();
    }

    private static int group(long high, long low, int place) {
        return (int) ((place < 4 ? high : low) >>> (48 - 16 * (place & 3))) & 0xFFFF;
    }

    /** The upper half of 16 bytes, or 4 bytes in its upper half. */
    static long high(byte[] address) {
        long bits = 0;
        for (int i = 0; i < 8; i++) {
            bits = bits << 8 | (i < address.length ? address[i] & 0xFF : 0);
        }
        return bits;
    }

    /** The lower half of 16 bytes; 0 for 4 bytes. */
    static long low(byte[] address) {
        long bits = 0;
        for (int i = 8; i < address.length; i++) {
            bits = bits << 8 | (address[i] & 0xFF);
        }
        return bits;
    }

    static InetAddress address(int v4) {
        return address(new byte[] {(byte) (v4 >>> 24), (byte) (v4 >>> 16), (byte) (v4 >>> 8), (byte) v4});
    }

    static InetAddress address(long high, long low) {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (high >>> (56 - 8 * i));
            bytes[i + 8] = (byte) (low >>> (56 - 8 * i));
        }
        return address(bytes);
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are an address", e);
        }
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}

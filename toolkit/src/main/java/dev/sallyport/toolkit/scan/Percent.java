package dev.sallyport.toolkit.scan;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Percent-encoding (RFC 3986, 2.1), in the ways in which clients do it. */
final class Percent {

    /** RFC 3986 unreserved; valid in every component. */
    static final String UNRESERVED = "-._~";
    /** ECMAScript's encodeURIComponent. */
    static final String COMPONENT = "-._~!*'()";
    /** WHATWG application/x-www-form-urlencoded. */
    static final String FORM = "-._*";
    /** The characters of path segments (RFC 3986, 3.3). */
    static final String SEGMENT = "-._~!$&'()*+,;=:@";

    private Percent() {}

    /** Encodes all bytes but ASCII letters, digits and those to be kept. */
    static byte[] encode(byte[] bytes, String kept, boolean plus, boolean upperCase) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 16);
        String digits = upperCase ? "0123456789ABCDEF" : "0123456789abcdef";
        for (byte value : bytes) {
            int c = value & 0xff;
            if (isAlphanumeric(c) || kept.indexOf(c) >= 0) {
                out.write(c);
            } else if (plus && c == ' ') {
                out.write('+');
            } else {
                out.write('%');
                out.write(digits.charAt(c >>> 4));
                out.write(digits.charAt(c & 0xf));
            }
        }
        return out.toByteArray();
    }

    /** Removes percent-encoding; malformed escapes stay. */
    static byte[] decode(byte[] bytes, boolean plus) {
        byte[] decoded = new byte[bytes.length];
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            int encoded = bytes[i] == '%' && i + 2 < bytes.length
                    ? hex((char) (bytes[i + 1] & 0xff), (char) (bytes[i + 2] & 0xff))
                    : -1;
            if (encoded >= 0) {
                decoded[length++] = (byte) encoded;
                i += 2;
            } else {
                decoded[length++] = plus && bytes[i] == '+' ? (byte) ' ' : bytes[i];
            }
        }
        return Arrays.copyOf(decoded, length);
    }

    /** The value of two hexadecimal digits, or -1. */
    static int hex(char high, char low) {
        if (high > 'f' || low > 'f') {
            return -1;
        }
        return (Character.digit(high, 16) << 4) | Character.digit(low, 16);
    }

    private static boolean isAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}

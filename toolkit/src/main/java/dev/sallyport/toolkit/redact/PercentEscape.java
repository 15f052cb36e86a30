package dev.sallyport.toolkit.redact;

import java.io.ByteArrayOutputStream;

/** Percent-encoding (RFC 3986, 2.1). */
final class PercentEscape {

    /** The unescaped characters apart from letters and digits: RFC 3986, 2.3. */
    static final String UNRESERVED = "-._~";
    /** The unescaped characters in a component, as browsers encode it. */
    static final String COMPONENT = "-._~!*'()";
    /** The unescaped characters in a form, in which a space is a plus sign. */
    static final String FORM = "-._*";

    private static final String HEX = "0123456789ABCDEF";
    /** How many bytes an escape has. */
    static final int LENGTH = 3;

    private PercentEscape() {}

    static int read(byte[] text, int at, int end) {
        if (at + LENGTH > end) {
            return at + 1 < end && Escaping.hex(text[at + 1]) < 0 ? Escape.NONE : Escape.MORE;
        }
        int value = (Escaping.hex(text[at + 1]) << 4) | Escaping.hex(text[at + 2]);
        return value < 0 ? Escape.NONE : Escape.of(LENGTH, value);
    }

    static void write(int value, String kept, ByteArrayOutputStream out) {
        boolean plain = (value >= 'a' && value <= 'z')
                || (value >= 'A' && value <= 'Z')
                || (value >= '0' && value <= '9')
                || kept.indexOf(value) >= 0;
        if (plain) {
            out.write(value);
        } else {
            out.write('%');
            out.write(HEX.charAt(value >> 4));
            out.write(HEX.charAt(value & 15));
        }
    }

    /** The forms that common encoders write. */
    static byte[] write(byte[] bytes, String kept, boolean upperCase) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 16);
        for (byte value : bytes) {
            if (value == ' ' && kept.equals(FORM)) {
                out.write('+');
            } else {
                write(value & 0xff, kept, out);
            }
        }
        byte[] written = out.toByteArray();
        for (int i = 0; i < written.length && !upperCase; i++) {
            if (written[i] == '%') {
                written[i + 1] = (byte) Character.toLowerCase(written[i + 1]);
                written[i + 2] = (byte) Character.toLowerCase(written[i + 2]);
            }
        }
        return written;
    }

    /** The form that escapes every byte. */
    static byte[] writeAll(byte[] bytes, boolean upperCase) {
        byte[] written = new byte[LENGTH * bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            written[LENGTH * i] = '%';
            written[LENGTH * i + 1] = hex(bytes[i] >> 4, upperCase);
            written[LENGTH * i + 2] = hex(bytes[i], upperCase);
        }
        return written;
    }

    private static byte hex(int value, boolean upperCase) {
        char digit = HEX.charAt(value & 15);
        return (byte) (upperCase ? digit : Character.toLowerCase(digit));
    }
}

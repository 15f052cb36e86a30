package dev.sallyport.toolkit.redact;

import java.util.Arrays;
import java.util.function.UnaryOperator;

/** The parts of a rendered text that depend on its value. */
public final class Rendered {

    private Rendered() {}

    /**
     * A rendered text without the beginning and end that are the same for every value.
     *
     * @param render renders a value
     * @param text the rendered text of this value
     */
    public static byte[] secretPart(UnaryOperator<byte[]> render, byte[] value, byte[] text) {
        int prefix = text.length;
        int suffix = text.length;
        for (int mask : new int[] {0x15, 0x6a}) {
            byte[] other = render.apply(masked(value, mask));
            prefix = Math.min(prefix, common(text, other));
            suffix = Math.min(suffix, common(reversed(text), reversed(other)));
        }
        return prefix + suffix >= text.length ? text : Arrays.copyOfRange(text, prefix, text.length - suffix);
    }

    private static byte[] masked(byte[] value, int mask) {
        byte[] other = value.clone();
        for (int i = 0; i < other.length; i++) {
            other[i] ^= (byte) mask;
        }
        return other;
    }

    private static int common(byte[] a, byte[] b) {
        int differ = Arrays.mismatch(a, b);
        return differ < 0 ? a.length : differ;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }
}

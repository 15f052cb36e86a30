package dev.sallyport.transforms.secrets;

import java.util.Arrays;

/** What of a rendered template depends on its value. */
final class Rendered {

    private Rendered() {}

    /** What is left without what stands there for every value. */
    static byte[] secretPart(Formatter formatter, byte[] value, byte[] text) {
        int prefix = text.length;
        int suffix = text.length;
        for (int mask : new int[] {0x15, 0x6a}) {
            byte[] other = formatter.format(masked(value, mask));
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

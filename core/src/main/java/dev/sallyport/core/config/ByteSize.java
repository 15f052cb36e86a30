package dev.sallyport.core.config;

import java.util.Locale;

/**
 * A size of memory.
 *
 * @param bytes not negative
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB"};

    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: 0 or more)");
        }
    }

    /** Parses {@code 65536}, {@code 64KiB}, {@code 256MiB}, {@code 1GiB}. */
    static ByteSize parse(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        String unit = text.substring(digits);
        for (int i = 0; i < UNITS.length; i++) {
            boolean matches = unit.equals(UNITS[i]) || (i == 0 && unit.isEmpty());
            if (matches && digits > 0 && digits <= 15) {
                long number = Long.parseLong(text.substring(0, digits));
                if (number <= Long.MAX_VALUE >> (10 * i)) {
                    return new ByteSize(number << (10 * i));
                }
            }
        }
        throw new BadValueException("not a size", ScalarKind.SIZE.expected());
    }

    /**
     * The bytes as an {@code int}.
     *
     * @throws ArithmeticException if there are 2 GiB or more; a field whose range allows that reads {@link #bytes}
     */
    public int toInt() {
        return Math.toIntExact(bytes);
    }

    @Override
    public int compareTo(ByteSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** With the largest unit that leaves no remainder. */
    @Override
    public String toString() {
        int unit = 0;
        long number = bytes;
        while (unit < UNITS.length - 1 && number != 0 && (number & 1023) == 0) {
            number >>= 10;
            unit++;
        }
        return String.format(Locale.ROOT, "%d%s", number, unit == 0 ? "" : UNITS[unit]);
    }
}

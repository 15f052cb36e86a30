package dev.sallyport.toolkit.redact;

/**
 * Base64 (RFC 4648, 4 and 5) of a text that contains a value at an unknown offset. The alignment is the offset modulo
 * three. The core consists of the digits that the value alone determines; up to four bits of its first and of its last
 * byte lie outside.
 */
final class Base64Text {

    static final int ALIGNMENTS = 3;

    private static final String COMMON = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final byte FILLER = '.';

    private final byte[] value;
    private final int alignment;
    private final String alphabet;

    Base64Text(byte[] value, int alignment, boolean url) {
        this.value = value;
        this.alignment = alignment;
        this.alphabet = COMMON + (url ? "-_" : "+/");
    }

    private int firstDigit() {
        return (8 * alignment + 5) / 6;
    }

    private int endDigit() {
        return (8 * alignment + 8 * value.length) / 6;
    }

    /** The digits that the value determines. */
    byte[] core() {
        int first = firstDigit();
        byte[] core = new byte[endDigit() - first];
        for (int i = 0; i < core.length; i++) {
            int digit = 0;
            int from = 6 * (first + i) - 8 * alignment;
            for (int bit = from; bit < from + 6; bit++) {
                digit = (digit << 1) | ((value[bit >> 3] >> (7 - (bit & 7))) & 1);
            }
            core[i] = (byte) alphabet.charAt(digit);
        }
        return core;
    }

    /**
     * The replacement of the core: the text then decodes to the placeholder with filler around it, no whole byte of the
     * value is left, and the following text keeps its alignment.
     */
    byte[] standIn(byte[] placeholder) {
        byte[] plain = standIn(placeholder, 0);
        byte[] best = plain;
        for (int shift = 1; shift < ALIGNMENTS && !isCommon(best); shift++) {
            best = standIn(placeholder, shift);
        }
        return isCommon(best) ? best : plain;
    }

    /** Whether the digits are the same in both alphabets. */
    private static boolean isCommon(byte[] digits) {
        for (byte digit : digits) {
            if (COMMON.indexOf(digit) < 0) {
                return false;
            }
        }
        return true;
    }

    private byte[] standIn(byte[] placeholder, int shift) {
        int head = (8 - (6 * firstDigit()) % 8) % 8;
        int bits = head + 8 * (shift + placeholder.length);
        int length = (bits + 5) / 6;
        while (length % 4 != (endDigit() - firstDigit()) % 4) {
            length++;
        }
        Digits out = new Digits(length);
        out.add(unlike(value[0] & mask(head), FILLER & mask(head), head), head);
        for (int i = 0; i < shift; i++) {
            out.add(FILLER, 8);
        }
        for (byte b : placeholder) {
            out.add(b, 8);
        }
        while (out.room() >= 8) {
            out.add(FILLER, 8);
        }
        int tail = out.room();
        int rest = 8 - tail;
        out.add(unlike((value[value.length - 1] & 0xff) >> rest, FILLER >> rest, tail), tail);
        return out.bytes;
    }

    private static int mask(int bits) {
        return (1 << bits) - 1;
    }

    /** The filler's bits, or others when these would complete a byte of the value. */
    private static int unlike(int bitsOfValue, int filler, int count) {
        return count > 0 && filler == bitsOfValue ? filler ^ 1 : filler;
    }

    /** Encodes bits as digits. */
    private final class Digits {

        private final byte[] bytes;
        private int written;

        Digits(int length) {
            bytes = new byte[length];
        }

        int room() {
            return 6 * bytes.length - written;
        }

        void add(int value, int count) {
            for (int shift = count - 1; shift >= 0; shift--) {
                int index = written / 6;
                bytes[index] = (byte) ((bytes[index] << 1) | ((value >> shift) & 1));
                if (++written % 6 == 0) {
                    bytes[index] = (byte) alphabet.charAt(bytes[index]);
                }
            }
        }
    }
}

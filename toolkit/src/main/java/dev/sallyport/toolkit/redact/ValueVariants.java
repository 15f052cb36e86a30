package dev.sallyport.toolkit.redact;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The variants of a value when a reader mistakes its charset or strips white space at its ends. */
final class ValueVariants {

    private ValueVariants() {}

    /** The value itself first. */
    static List<byte[]> of(byte[] value) {
        List<byte[]> variants = new ArrayList<>(1);
        variants.add(value);
        for (byte b : value) {
            if (b < 0) {
                addOthers(value, variants);
                break;
            }
        }
        for (byte[] reading : List.copyOf(variants)) {
            addStripped(reading, variants);
        }
        return variants;
    }

    /** Receivers of a field strip white space (RFC 9110, 5.5); files often end in an unintended line feed. */
    private static void addStripped(byte[] value, List<byte[]> variants) {
        int from = 0;
        int to = value.length;
        while (to > from && isSpace(value[to - 1])) {
            to--;
        }
        while (from < to && isSpace(value[from])) {
            from++;
        }
        if (to - from < value.length && to - from >= Redactor.MIN_LENGTH) {
            variants.add(Arrays.copyOfRange(value, from, to));
        }
    }

    private static boolean isSpace(byte value) {
        return value == ' ' || (value >= '\t' && value <= '\r');
    }

    /** Header values are often read as Latin-1 and then written as UTF-8; the reverse happens as well. */
    private static void addOthers(byte[] value, List<byte[]> variants) {
        variants.add(new String(value, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.UTF_8));
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
            ByteBuffer latin1 = StandardCharsets.ISO_8859_1.newEncoder().encode(text);
            byte[] bytes = new byte[latin1.remaining()];
            latin1.get(bytes);
            if (bytes.length >= Redactor.MIN_LENGTH) {
                variants.add(bytes);
            }
        } catch (CharacterCodingException e) {
            // The value has no such variant.
        }
    }
}

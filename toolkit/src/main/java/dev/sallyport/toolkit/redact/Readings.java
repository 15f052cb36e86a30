package dev.sallyport.toolkit.redact;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The bytes into which a value turns when somebody takes its charset for another one, or the white space off its ends. */
final class Readings {

    private Readings() {}

    /** The value itself first. */
    static List<byte[]> of(byte[] value) {
        List<byte[]> readings = new ArrayList<>(1);
        readings.add(value);
        for (byte b : value) {
            if (b < 0) {
                addOthers(value, readings);
                break;
            }
        }
        for (byte[] reading : List.copyOf(readings)) {
            addStripped(reading, readings);
        }
        return readings;
    }

    /** Receivers of a field strip it (RFC 9110, 5.5); files end in a line feed that nobody meant. */
    private static void addStripped(byte[] value, List<byte[]> readings) {
        int from = 0;
        int to = value.length;
        while (to > from && isSpace(value[to - 1])) {
            to--;
        }
        while (from < to && isSpace(value[from])) {
            from++;
        }
        if (to - from < value.length && to - from >= Redactor.MIN_LENGTH) {
            readings.add(Arrays.copyOfRange(value, from, to));
        }
    }

    private static boolean isSpace(byte value) {
        return value == ' ' || (value >= '\t' && value <= '\r');
    }

    /** Header values are often read as Latin-1 and then written as UTF-8; the reverse happens as well. */
    private static void addOthers(byte[] value, List<byte[]> readings) {
        readings.add(new String(value, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.UTF_8));
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
            ByteBuffer latin1 = StandardCharsets.ISO_8859_1.newEncoder().encode(text);
            byte[] bytes = new byte[latin1.remaining()];
            latin1.get(bytes);
            if (bytes.length >= Redactor.MIN_LENGTH) {
                readings.add(bytes);
            }
        } catch (CharacterCodingException e) {
            // It has no such reading.
        }
    }
}

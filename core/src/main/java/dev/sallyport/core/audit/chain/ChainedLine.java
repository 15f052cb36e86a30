package dev.sallyport.core.audit.chain;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the chain needs of a record's line, read without parsing the JSON: its first fields and its last one stand at
 * fixed places. {@code {"time":"...","level":"...","msg":"...","schema_version":1,"seq":N,...,"prev":"..."}} and a line
 * feed.
 *
 * @param msg {@code request}, or what the chain says of itself
 * @param prev the hash of the line before, as the record has it
 */
public record ChainedLine(String msg, long seq, byte[] prev) {

    /** {@code msg} of a record about the lines before it. */
    public static final String SEALED = "sealed";

    /** {@code msg} of a record about a rotated file that is being deleted. */
    public static final String REMOVED = "removed";

    /** What stands before the hash at the end of a line. */
    public static final String PREV = ",\"prev\":\"";

    /** The length of the end of a line: the last field, the brace and the line feed. */
    static final int TAIL_BYTES = PREV.length() + 2 * Sha256.BYTES + "\"}\n".length();

    /** The beginning of a line that is needed; no first fields are longer. */
    static final int HEAD_BYTES = 256;

    private static final int MAX_DIGITS = 18;

    /**
     * The line with this beginning and end; null when it is no record of a chain.
     *
     * @param head its first {@link #HEAD_BYTES}, or all of it
     * @param tail its last {@link #TAIL_BYTES}, or all of it, with the line feed
     */
    static @Nullable ChainedLine parse(byte[] head, int headLength, byte[] tail, int tailLength) {
        byte[] prev = prev(tail, tailLength);
        if (prev == null) {
            return null;
        }
        Cursor cursor = new Cursor(new String(head, 0, headLength, StandardCharsets.ISO_8859_1));
        cursor.skip("{\"time\":\"");
        cursor.until('"');
        cursor.skip(",\"level\":\"");
        cursor.until('"');
        cursor.skip(",\"msg\":\"");
        String msg = cursor.until('"');
        cursor.skip(",\"schema_version\":1,\"seq\":");
        String digits = cursor.until(',');
        boolean number = !digits.isEmpty()
                && digits.length() <= MAX_DIGITS
                && digits.charAt(0) != '0'
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return cursor.failed || !number ? null : new ChainedLine(msg, Long.parseLong(digits), prev);
    }

    private static byte @Nullable [] prev(byte[] tail, int length) {
        if (length < TAIL_BYTES) {
            return null;
        }
        String end = new String(tail, length - TAIL_BYTES, TAIL_BYTES, StandardCharsets.ISO_8859_1);
        String hex = end.substring(PREV.length(), PREV.length() + 2 * Sha256.BYTES);
        boolean fits = end.startsWith(PREV)
                && end.endsWith("\"}\n")
                && hex.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
        return fits ? HexFormat.of().parseHex(hex) : null;
    }

    /** Whether the record says that this is the hash of the line before. */
    boolean follows(byte[] hash) {
        return Arrays.equals(prev, hash);
    }

    private static final class Cursor {

        private final String text;
        private int at;
        private boolean failed;

        Cursor(String text) {
            this.text = text;
        }

        void skip(String expected) {
            failed |= !text.startsWith(expected, at);
            at += expected.length();
        }

        /** The text up to a character, which is passed over. */
        String until(char end) {
            int to = failed ? -1 : text.indexOf(end, at);
            if (to < 0) {
                failed = true;
                return "";
            }
            String found = text.substring(at, to);
            at = to + 1;
            return found;
        }
    }
}

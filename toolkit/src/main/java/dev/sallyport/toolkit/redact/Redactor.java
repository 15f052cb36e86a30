package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Values that must not be seen, compiled. They are found as they are; in Base64 (both alphabets, at every alignment);
 * percent-encoded; escaped as in JSON strings and in HTML; in UTF-16; and, where one of these stands in another one, in
 * Base64, JSON, HTML or percent-encoding that was escaped once more, or put into Base64. White space around a value may
 * be missing. A value that was cut off is found where {@link #MIN_LENGTH} bytes of it are there beyond its public
 * prefix, and the text ends or no letter or digit follows; in Base64 whatever follows. Plain and encoded characters may
 * be mixed. What is written instead keeps the text around it well-formed and decodes to the placeholder, in Base64 with
 * filler around it. Overlapping matches: leftmost first, then longest.
 *
 * <p>A text without backslash, percent sign, ampersand and NUL costs one pass, most of which is skipped, whatever the
 * number of values. Not found: Base64 that is broken into lines, HTML references without semicolon or of more than 24
 * characters, and UTF-16 of characters beyond Latin-1. Base64 of other forms is not looked for where a value has more
 * than 4 KiB, nor once all forms come to 5 MiB.
 *
 * <p>Immutable and thread-safe. Takes about 400 bytes of memory for each byte of values of ASCII, more where much of
 * them is escaped.
 */
public final class Redactor {

    /** Shorter values would be found where they are not meant. */
    public static final int MIN_LENGTH = 8;

    private final Patterns patterns;

    private Redactor(Patterns patterns) {
        this.patterns = patterns;
    }

    /**
     * Compiles values, which are known by their index. Of equal ones the first is reported.
     *
     * @throws IllegalArgumentException when they are too long in all, which they may be beyond 200 KiB
     */
    public static Redactor of(List<Cover> covers) {
        return new Redactor(Patterns.of(covers));
    }

    /** Whether there is no value to look for. */
    public boolean isEmpty() {
        return patterns.matcher().isEmpty();
    }

    /** Whether a text has a value in it, in any form. */
    public boolean finds(String latin1) {
        return !text(latin1, cover -> {}).equals(latin1);
    }

    /**
     * Whether a value may stand in a name or a value of these fields, whose characters are bytes. No is certain; yes is to be
     * looked at with {@link #text}.
     */
    public boolean mayFind(Headers fields) {
        return patterns.matcher().mayFind(fields, patterns.needles());
    }

    /**
     * Puts placeholders back in a text whose characters are bytes, such as the value of a header.
     *
     * @param found is told for each value that was there, by index
     * @return the same instance when there was none
     */
    public String text(String latin1, IntConsumer found) {
        return text(latin1, false, found);
    }

    /**
     * As {@link #text}, for a text in which lengths are counted: what is written has the length of what it stands for.
     *
     * @return the same instance when there was none
     */
    public String countedText(String latin1, IntConsumer found) {
        return text(latin1, true, found);
    }

    private String text(String latin1, boolean counted, IntConsumer found) {
        if (latin1.length() < MIN_LENGTH
                || (!mayBeEscaped(latin1) && !patterns.matcher().matches(latin1))) {
            return latin1;
        }
        RedactingRewriter rewriter = new RedactingRewriter(patterns, null, counted, found);
        byte[] bytes = latin1.getBytes(StandardCharsets.ISO_8859_1);
        Text out = new Text(bytes);
        rewriter.write(ByteBuffer.wrap(bytes), out);
        rewriter.end(out);
        return rewriter.changed() ? out.text.toString() : latin1;
    }

    private boolean mayBeEscaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (patterns.mayBeginEscape(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Puts placeholders back in a body as it streams, its content coding removed. In gRPC, where lengths are counted, what
     * is written has the length of what it stands for.
     *
     * @param contentType how plain values are to be written; null when it is not known
     * @param found is told for each value that was there, by index
     * @return a rewriter for one body
     */
    public BodyRewriter body(@Nullable String contentType, IntConsumer found) {
        boolean counted =
                contentType != null && contentType.toLowerCase(Locale.ROOT).startsWith("application/grpc");
        return new RedactingRewriter(patterns, counted ? null : Escaping.of(contentType), counted, found);
    }

    /**
     * As {@link #body}, for content in which lengths are counted, such as binary messages: what is written has the length
     * of what it stands for.
     *
     * @param found is told for each value that was there, by index
     * @return a rewriter for one body or message
     */
    public BodyRewriter counted(IntConsumer found) {
        return new RedactingRewriter(patterns, null, true, found);
    }

    @Override
    public String toString() {
        return "Redactor[***]";
    }

    private static final class Text implements BodyRewriter.Sink {

        private final byte[] bytes;
        private final StringBuilder text;

        Text(byte[] bytes) {
            this.bytes = bytes;
            this.text = new StringBuilder(bytes.length + 32);
        }

        @Override
        public void write(ByteBuffer in) {
            while (in.hasRemaining()) {
                text.append((char) (in.get() & 0xff));
            }
        }

        @Override
        public void forward(int index, int length) {
            for (int i = index; i < index + length; i++) {
                text.append((char) (bytes[i] & 0xff));
            }
        }
    }
}

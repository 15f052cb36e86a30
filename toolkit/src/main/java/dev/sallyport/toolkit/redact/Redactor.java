package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.headers.CallProtocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Compiled values that must be hidden. They are found verbatim; in Base64 (both alphabets, at every alignment);
 * percent-encoded; escaped as in JSON strings and in HTML; in UTF-16; and in combinations of two of these: Base64,
 * JSON, HTML or percent-encoding that was escaped again or encoded in Base64 (of what escapes every character, only
 * percent-encoding that was escaped again). White space around a value may be
 * missing. A truncated value is found if {@link #MIN_LENGTH} bytes beyond its public prefix are present and the text
 * ends or no letter or digit follows; in Base64 whatever follows. Plain and encoded characters may be mixed. The
 * replacement keeps the surrounding text well-formed and decodes to the placeholder, in Base64 with filler around it.
 * Among overlapping matches the leftmost wins, then the longest.
 *
 * <p>A text without backslash, percent sign, ampersand and NUL costs one pass, most of which is skipped, whatever the
 * number of values. Not found: Base64 that is broken into lines, HTML references without semicolon or of more than 24
 * characters, and UTF-16 of characters beyond Latin-1. Base64 of other forms is not searched for if a value is longer
 * than 4 KiB, or once all forms exceed 5 MiB.
 *
 * <p>Immutable and thread-safe. Takes about 400 bytes of memory for each byte of values of ASCII, more where much of
 * them is escaped.
 */
public final class Redactor {

    /** Shorter values would be found by coincidence. */
    public static final int MIN_LENGTH = 8;

    /** Longer tokens in all take too long to be compared with the beginning of a part. */
    private static final long MOST_FOR_PARTS = 1 << 20;

    private final Patterns patterns;

    /** The tokens, once a part was searched. */
    private volatile @Nullable List<byte[]> tokens;

    private Redactor(Patterns patterns) {
        this.patterns = patterns;
    }

    /**
     * Compiles values, which are identified by their index. Among equal ones the first is reported.
     *
     * @throws IllegalArgumentException when their total length is too large, which is possible from 200 KiB on
     */
    public static Redactor of(List<Redaction> redactions) {
        return new Redactor(Patterns.of(redactions));
    }

    /** Whether there are no values. */
    public boolean isEmpty() {
        return patterns.matcher().isEmpty();
    }

    /** Whether a text contains a value, in any form. */
    public boolean finds(String latin1) {
        return !text(latin1, redaction -> {}).equals(latin1);
    }

    /**
     * Whether a name or value of these fields, whose characters are bytes, may contain a value. False is certain; true
     * must be checked with {@link #text}.
     */
    public boolean mayFind(Headers fields) {
        return patterns.matcher().mayFind(fields, patterns.escapeTable().starts());
    }

    /**
     * Replaces values with placeholders in a text whose characters are bytes, such as the value of a header.
     *
     * @param found receives the index of each value found
     * @return the same instance when there was none
     */
    public String text(String latin1, IntConsumer found) {
        return text(latin1, false, found);
    }

    /**
     * As {@link #text}, for a text whose length is declared: a replacement has the length of its value.
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
            if (patterns.escapeTable().begins(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Replaces values with placeholders in a body as it streams, after its content coding was removed. In the messages of
     * a {@link CallProtocol} and in binary media types, whose readers count bytes, a replacement has the length of its
     * value, and so the body keeps its own.
     *
     * @param contentType determines how plain values are written; null when unknown
     * @param found receives the index of each value found
     * @return a rewriter for one body
     */
    public BodyRewriter body(@Nullable String contentType, IntConsumer found) {
        boolean counted = CountedContent.is(contentType);
        return new RedactingRewriter(patterns, counted ? null : Escaping.of(contentType), counted, found);
    }

    /**
     * As {@link #body}, for content that declares lengths, such as binary messages: a replacement has the length of its
     * value.
     *
     * @param found receives the index of each value found
     * @return a rewriter for one body or message
     */
    public BodyRewriter counted(IntConsumer found) {
        return new RedactingRewriter(patterns, null, true, found);
    }

    /** Whether there are few enough values for {@link #partHead} and {@link #part}. */
    public boolean searchesParts() {
        return patterns.size() <= MOST_FOR_PARTS;
    }

    /**
     * Masks a value's end, of four bytes or more, at the beginning of a part of a text, and a piece
     * of a value of which the whole part consists. To be followed by {@link #part}. Keeps the length.
     *
     * @param cutAfter whether the part has a cut end as well
     * @param masked is called when something was masked
     */
    public BodyRewriter partHead(boolean cutAfter, Runnable masked) {
        List<byte[]> known = tokens;
        if (known == null) {
            known = List.copyOf(patterns.tokens());
            tokens = known;
        }
        return new PartHead(patterns, known, cutAfter, masked);
    }

    /**
     * As {@link #body} or {@link #counted}, for a text that goes on behind its end: a value's beginning, of four
     * bytes or more, is masked there.
     *
     * @param counted whether its length is declared, whatever its media type
     * @param found receives the index of each value found, and -1 for the mask
     */
    public BodyRewriter part(@Nullable String contentType, boolean counted, IntConsumer found) {
        boolean keepsLength = counted || CountedContent.is(contentType);
        return new RedactingRewriter(patterns, keepsLength ? null : Escaping.of(contentType), keepsLength, true, found);
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

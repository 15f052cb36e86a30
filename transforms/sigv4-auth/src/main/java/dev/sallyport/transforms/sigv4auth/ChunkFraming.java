package dev.sallyport.transforms.sigv4auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Parses the framing of {@code aws-chunked}: lines, and data between them. Any deviation from AWS's documentation is an
 * error. Memory is bounded by the longest line. Not thread-safe.
 */
final class ChunkFraming {

    /** Receives the parts of a content, in order. */
    interface Parts {

        /** A chunk begins; one of size 0 is the last. {@code extension} is what follows the size, or empty. */
        void chunk(String line, long size, String extension);

        /** A part of the chunk's data. */
        void data(ByteBuffer bytes);

        /** The end of the chunk's data and of the line break after it. */
        void chunkEnd();

        /** A line of the trailer, without its line break. */
        void field(String line);

        /** The empty line at the end of the content. */
        void end();
    }

    private static final int LONGEST_LINE = 8192;
    private static final int LONGEST_SIZE = 15;

    private enum State {
        SIZE,
        DATA,
        BREAK,
        TRAILER,
        DONE
    }

    private final Parts parts;
    private final boolean trailer;
    private final StringBuilder line = new StringBuilder(128);
    private State state = State.SIZE;
    private long left;

    /** @param trailer whether header fields may follow the last chunk */
    ChunkFraming(Parts parts, boolean trailer) {
        this.parts = parts;
        this.trailer = trailer;
    }

    /** Consumes all the bytes. */
    void take(ByteBuffer in) {
        while (in.hasRemaining()) {
            if (state == State.DATA) {
                data(in);
            } else if (state == State.DONE) {
                throw Refusals.framing("bytes follow the end");
            } else {
                line(in);
            }
        }
    }

    /** Whether the content is complete. */
    boolean done() {
        return state == State.DONE;
    }

    void requireDone() {
        if (!done()) {
            throw Refusals.framing("the end is missing");
        }
    }

    private void data(ByteBuffer in) {
        int length = (int) Math.min(left, in.remaining());
        parts.data(in.slice(in.position(), length));
        in.position(in.position() + length);
        left -= length;
        if (left == 0) {
            state = State.BREAK;
        }
    }

    private void line(ByteBuffer in) {
        while (in.hasRemaining()) {
            char c = (char) (in.get() & 0xff);
            if (c == '\n') {
                if (line.isEmpty() || line.charAt(line.length() - 1) != '\r') {
                    throw Refusals.framing("a line feed without carriage return");
                }
                line.setLength(line.length() - 1);
                String text = line.toString();
                line.setLength(0);
                lineEnd(text);
                return;
            }
            if (line.length() >= (state == State.BREAK ? 1 : LONGEST_LINE)) {
                throw Refusals.framing("a line or a chunk is too long");
            }
            line.append(c);
        }
    }

    private void lineEnd(String text) {
        if (text.indexOf('\r') >= 0) {
            throw Refusals.framing("a carriage return without line feed");
        }
        switch (state) {
            case SIZE -> size(text);
            case BREAK -> {
                if (!text.isEmpty()) {
                    throw Refusals.framing("a chunk is longer than its size");
                }
                state = State.SIZE;
                parts.chunkEnd();
            }
            case TRAILER -> trailer(text);
            default -> throw new IllegalStateException(state.name());
        }
    }

    private void size(String text) {
        int semicolon = text.indexOf(';');
        String digits = semicolon < 0 ? text : text.substring(0, semicolon);
        left = size16(digits);
        state = left == 0 ? State.TRAILER : State.DATA;
        parts.chunk(text, left, semicolon < 0 ? "" : text.substring(semicolon + 1));
    }

    private static long size16(String digits) {
        boolean right = !digits.isEmpty()
                && digits.length() <= LONGEST_SIZE
                && digits.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 0x80);
        if (!right) {
            throw Refusals.framing("a chunk without a size");
        }
        return Long.parseLong(digits, 16);
    }

    private void trailer(String text) {
        if (text.isEmpty()) {
            state = State.DONE;
            parts.end();
        } else if (trailer) {
            parts.field(text);
        } else {
            throw Refusals.framing("a trailer that was not announced");
        }
    }

    static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return "ChunkFraming[" + state + "]";
    }
}

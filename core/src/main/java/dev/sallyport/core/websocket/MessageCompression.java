package dev.sallyport.core.websocket;

import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses the messages of one direction and compresses them again (RFC 7692, 7.2). What is sent is a stream of its
 * own, so that the receiver's context matches. If the receiver has agreed to a smaller window than the compressor's,
 * messages are sent uncompressed, which is always allowed.
 */
final class MessageCompression {

    /** Notified after every few bytes, so that a small message cannot become a large one unnoticed. */
    interface Progress {
        void more() throws MessageException;
    }

    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};
    private static final byte[] EMPTY_BLOCK = {0};
    private static final int STEP = 16 * 1024;

    private final Inflater inflater = new Inflater(true);
    private final @Nullable Deflater deflater;
    private final boolean takeover;

    /**
     * @param takeover whether messages may refer to earlier ones
     * @param windowBits the window that was agreed for this direction
     */
    MessageCompression(boolean takeover, int windowBits) {
        this.takeover = takeover;
        this.deflater =
                windowBits == PerMessageDeflate.WHOLE_WINDOW ? new Deflater(Deflater.DEFAULT_COMPRESSION, true) : null;
    }

    boolean compresses() {
        return deflater != null;
    }

    /** Decompresses a part of a message. */
    void inflate(byte[] in, int length, ByteAccumulator out, Progress progress) throws MessageException {
        inflater.setInput(in, 0, length);
        try {
            while (true) {
                int room = out.room(STEP);
                int got = inflater.inflate(out.array(), out.size(), room);
                out.grown(got);
                if (got > 0) {
                    progress.more();
                } else if (inflater.finished() && inflater.getRemaining() > 0) {
                    // A block that claims to be the last one ends the stream, not the message (RFC 7692, 7.2.3.4).
                    int rest = inflater.getRemaining();
                    inflater.reset();
                    inflater.setInput(in, length - rest, rest);
                } else if (inflater.finished() || inflater.needsInput() || inflater.needsDictionary()) {
                    return;
                }
            }
        } catch (DataFormatException e) {
            throw new MessageException(1007, "a compressed message that cannot be decompressed");
        }
    }

    /** Ends a compressed message. */
    void endInflate(ByteAccumulator out, Progress progress) throws MessageException {
        inflate(TAIL, TAIL.length, out, progress);
        if (!takeover || inflater.finished()) {
            inflater.reset();
        }
    }

    /** Compresses a part of a message, or the last of it. */
    void deflate(byte[] in, int length, boolean last, ByteAccumulator out) {
        Deflater to = deflater;
        if (to == null) {
            throw new IllegalStateException("this direction goes out plain");
        }
        to.setInput(in, 0, length);
        int start = out.size();
        int got;
        do {
            int room = out.room(STEP);
            got = to.deflate(out.array(), out.size(), room, last ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH);
            out.grown(got);
        } while (got > 0);
        if (last) {
            if (out.size() - start > TAIL.length) {
                out.cut(TAIL.length);
            } else {
                out.cut(out.size() - start);
                out.add(EMPTY_BLOCK, 0, EMPTY_BLOCK.length);
            }
            if (!takeover) {
                to.reset();
            }
        }
    }

    void close() {
        inflater.end();
        if (deflater != null) {
            deflater.end();
        }
    }
}

package dev.sallyport.core.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.util.internal.StringUtil;

/**
 * Follows the chunks of a body (RFC 9112, 7.1), to know where a size stands and where the trailers begin. A size that is filled
 * up with white space, as some servers do and every client reads it, gets the delimiter of an extension behind it, so that
 * the decoder reads it too. What is no size is left for the decoder to refuse. Not thread-safe.
 */
final class OriginChunkLines {

    private static final int LINE_END = 2;
    private static final int BASE = 16;

    private enum Next {
        NO_CHUNK,
        SIZE,
        CONTENT,
        LAST_SIZE,
        TRAILERS
    }

    private final Runnable whiteSpaceFound;

    private Next next = Next.NO_CHUNK;

    /** Until the next size, or the trailers. */
    private long left;

    /** @param whiteSpaceFound called for each size with white space behind it */
    OriginChunkLines(Runnable whiteSpaceFound) {
        this.whiteSpaceFound = whiteSpaceFound;
    }

    /** Chunks follow, or something else: a body of another framing, or a head. */
    void begin(boolean chunked) {
        next = chunked ? Next.SIZE : Next.NO_CHUNK;
    }

    boolean atTrailers() {
        return next == Next.TRAILERS;
    }

    /** Up to where the buffer may be decoded: behind the last size, so that the trailers are looked at before that. */
    int prepare(ByteBuf buffer) {
        if (next != Next.SIZE) {
            return next == Next.LAST_SIZE ? buffer.readerIndex() + (int) left : buffer.writerIndex();
        }
        int lineFeed = buffer.indexOf(buffer.readerIndex(), buffer.writerIndex(), (byte) '\n');
        if (lineFeed >= 0) {
            readSize(buffer, buffer.readerIndex(), lineFeed);
        }
        return next == Next.LAST_SIZE ? lineFeed + 1 : buffer.writerIndex();
    }

    private void readSize(ByteBuf line, int from, int lineFeed) {
        int at = from;
        long size = 0;
        int digit = StringUtil.decodeHexNibble(line.getByte(at));
        while (digit >= 0 && size <= Integer.MAX_VALUE) {
            size = size * BASE + digit;
            at++;
            digit = StringUtil.decodeHexNibble(line.getByte(at));
        }
        int end = at;
        while (line.getByte(at) == ' ' || line.getByte(at) == '\t') {
            at++;
        }
        boolean ends = line.getByte(at) == '\r' && at + 1 == lineFeed;
        if (end == from || size > Integer.MAX_VALUE || (!ends && line.getByte(at) != ';')) {
            next = Next.NO_CHUNK;
            return;
        }
        if (ends && end < at) {
            line.setByte(end, ';');
            whiteSpaceFound.run();
        }
        left = lineFeed + 1 - from + (size == 0 ? 0 : size + LINE_END);
        next = size == 0 ? Next.LAST_SIZE : Next.CONTENT;
    }

    /** So many bytes have been decoded; whether the trailers begin behind them. */
    boolean decoded(int bytes) {
        if (next != Next.CONTENT && next != Next.LAST_SIZE) {
            return false;
        }
        left -= bytes;
        if (left > 0) {
            return false;
        }
        next = next == Next.CONTENT ? Next.SIZE : Next.TRAILERS;
        return next == Next.TRAILERS;
    }
}

package dev.sallyport.compare.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Finds the messages in a stream of HTTP/1.1 (RFC 9112, section 6) and makes no objects for them: it must cost little, so
 * that the proxy under test is what limits. Trusts its peer: this is no parser for hostile bytes.
 */
public abstract class HttpScanner extends ByteToMessageDecoder {

    private static final int MAX_HEAD = 64 * 1024;
    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRANSFER_ENCODING = "transfer-encoding:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CONNECTION_CLOSE = "connection: close".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] CONNECTION_KEEP_ALIVE = "connection: keep-alive".getBytes(StandardCharsets.US_ASCII);

    private enum State {
        HEAD,
        BODY,
        CHUNK_SIZE,
        CHUNK_DATA,
        CHUNK_CRLF,
        TRAILERS,
        UNTIL_CLOSE
    }

    private State state = State.HEAD;
    private long left;
    private int searched;
    private long length;
    private boolean chunked;
    private boolean closing;

    /** What the start line says about a body that no header speaks of. */
    protected enum Unframed {
        NO_BODY,
        UNTIL_CLOSE
    }

    /**
     * The head is there, from {@code start} to {@code end} with the last empty line.
     *
     * @return whether the stream goes on as HTTP; after false this handler must take itself out of the pipeline
     */
    protected abstract boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end);

    protected abstract Unframed unframed();

    /** Some of the body, without its chunk framing: {@code bytes} of the buffer from {@code start}. */
    protected abstract void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes);

    protected abstract void end(ChannelHandlerContext ctx);

    /** Whether the message that was last read says that its sender closes the connection. */
    public final boolean closing() {
        return closing;
    }

    @Override
    protected final void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        while (in.isReadable() && !ctx.isRemoved()) {
            if (!step(ctx, in)) {
                return;
            }
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        decode(ctx, in, out);
        if (state == State.UNTIL_CLOSE) {
            state = State.HEAD;
            end(ctx);
        }
    }

    /** Whether it got any further. */
    private boolean step(ChannelHandlerContext ctx, ByteBuf in) {
        return switch (state) {
            case HEAD -> readHead(ctx, in);
            case BODY, CHUNK_DATA, UNTIL_CLOSE -> readData(ctx, in);
            case CHUNK_SIZE -> readChunkSize(in);
            case CHUNK_CRLF -> {
                if (in.readableBytes() < 2) {
                    yield false;
                }
                in.skipBytes(2);
                state = State.CHUNK_SIZE;
                yield true;
            }
            case TRAILERS -> readTrailer(ctx, in);
        };
    }

    private boolean readHead(ChannelHandlerContext ctx, ByteBuf in) {
        int start = in.readerIndex();
        int end = endOfHead(in, start + searched, in.writerIndex());
        if (end < 0) {
            searched = Math.max(0, in.readableBytes() - 3);
            if (in.readableBytes() > MAX_HEAD) {
                throw new IllegalStateException("a head of more than " + MAX_HEAD + " bytes");
            }
            return false;
        }
        searched = 0;
        framing(in, start, end);
        in.readerIndex(end);
        if (!head(ctx, in, start, end)) {
            return false;
        }
        if (chunked) {
            state = State.CHUNK_SIZE;
        } else if (length > 0) {
            left = length;
            state = State.BODY;
        } else if (length < 0 && unframed() == Unframed.UNTIL_CLOSE) {
            state = State.UNTIL_CLOSE;
        } else {
            end(ctx);
        }
        return true;
    }

    private boolean readData(ChannelHandlerContext ctx, ByteBuf in) {
        int bytes = state == State.UNTIL_CLOSE ? in.readableBytes() : (int) Math.min(left, in.readableBytes());
        int start = in.readerIndex();
        in.skipBytes(bytes);
        body(ctx, in, start, bytes);
        if (state == State.UNTIL_CLOSE) {
            return true;
        }
        left -= bytes;
        if (left == 0) {
            boolean last = state == State.BODY;
            state = last ? State.HEAD : State.CHUNK_CRLF;
            if (last) {
                end(ctx);
            }
        }
        return true;
    }

    private boolean readChunkSize(ByteBuf in) {
        int lf = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        if (lf < 0) {
            return false;
        }
        long size = 0;
        for (int i = in.readerIndex(); i < lf; i++) {
            int digit = Character.digit(in.getByte(i), 16);
            if (digit < 0) {
                break;
            }
            size = size * 16 + digit;
        }
        in.readerIndex(lf + 1);
        left = size;
        state = size == 0 ? State.TRAILERS : State.CHUNK_DATA;
        return true;
    }

    private boolean readTrailer(ChannelHandlerContext ctx, ByteBuf in) {
        int lf = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        if (lf < 0) {
            return false;
        }
        boolean empty = lf - in.readerIndex() <= 1;
        in.readerIndex(lf + 1);
        if (empty) {
            state = State.HEAD;
            end(ctx);
        }
        return true;
    }

    /** Index after the first empty line, or -1. */
    private static int endOfHead(ByteBuf in, int from, int to) {
        int at = from;
        while (true) {
            int lf = in.indexOf(at, to, (byte) '\n');
            if (lf < 0) {
                return -1;
            }
            if (lf >= 3 && in.getByte(lf - 1) == '\r' && in.getByte(lf - 2) == '\n') {
                return lf + 1;
            }
            at = lf + 1;
        }
    }

    private void framing(ByteBuf in, int start, int end) {
        length = -1;
        chunked = false;
        // A response of HTTP/1.0 is the last one, unless the peer says otherwise (RFC 9112, section 9.3).
        closing = in.getByte(start) == 'H' && in.getByte(start + 4) == '/' && in.getByte(start + 7) == '0';
        int line = in.indexOf(start, end, (byte) '\n') + 1;
        while (line < end) {
            int lf = in.indexOf(line, end, (byte) '\n');
            switch (in.getByte(line) | 0x20) {
                case 'c' -> {
                    if (startsWith(in, line, lf, CONTENT_LENGTH)) {
                        length = Long.parseLong(in.toString(
                                        line + CONTENT_LENGTH.length,
                                        lf - line - CONTENT_LENGTH.length,
                                        StandardCharsets.US_ASCII)
                                .strip());
                    } else if (startsWith(in, line, lf, CONNECTION_CLOSE)) {
                        closing = true;
                    } else if (startsWith(in, line, lf, CONNECTION_KEEP_ALIVE)) {
                        closing = false;
                    }
                }
                case 't' -> chunked |= startsWith(in, line, lf, TRANSFER_ENCODING);
                default -> {}
            }
            line = lf + 1;
        }
    }

    private static boolean startsWith(ByteBuf in, int from, int to, byte[] lowerCase) {
        if (to - from < lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            int c = in.getByte(from + i);
            if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    /** The text of a part of a head. */
    protected static String text(ByteBuf in, int start, int end) {
        return in.toString(start, end - start, StandardCharsets.US_ASCII);
    }

    /** The status of a response whose head starts there. */
    protected static int status(ByteBuf in, int start) {
        return (in.getByte(start + 9) - '0') * 100 + (in.getByte(start + 10) - '0') * 10 + in.getByte(start + 11) - '0';
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    /** ASCII in a buffer of its own. */
    public static ByteBuf ascii(ChannelHandlerContext ctx, String text) {
        return ByteBufUtil.writeAscii(ctx.alloc(), text);
    }
}

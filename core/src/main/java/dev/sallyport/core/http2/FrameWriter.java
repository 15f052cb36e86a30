package dev.sallyport.core.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.charset.StandardCharsets;

/** Writes frames of HTTP/2 (RFC 9113, 6). */
public final class FrameWriter {

    public static final int SETTINGS_HEADER_TABLE_SIZE = 1;
    public static final int SETTINGS_ENABLE_PUSH = 2;
    public static final int SETTINGS_MAX_CONCURRENT_STREAMS = 3;
    public static final int SETTINGS_INITIAL_WINDOW_SIZE = 4;
    public static final int SETTINGS_MAX_FRAME_SIZE = 5;
    public static final int SETTINGS_MAX_HEADER_LIST_SIZE = 6;
    public static final int SETTINGS_ENABLE_CONNECT_PROTOCOL = 8;

    /** The initial size of a window (RFC 9113, 6.9.2). */
    public static final int INITIAL_WINDOW = 65_535;

    private static final int SETTING = 6;
    private static final int MAX_DETAIL = 200;

    private FrameWriter() {}

    private static ByteBuf frame(ByteBufAllocator allocator, int length, int type, int flags, int stream) {
        ByteBuf out = allocator.buffer(FrameReader.HEADER + length);
        header(out, length, type, flags, stream);
        return out;
    }

    private static void header(ByteBuf out, int length, int type, int flags, int stream) {
        out.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
    }

    /** SETTINGS with these pairs of identifier and value. */
    public static ByteBuf settings(ByteBufAllocator allocator, int... pairs) {
        ByteBuf out = frame(allocator, pairs.length / 2 * SETTING, FrameReader.SETTINGS, 0, 0);
        for (int i = 0; i < pairs.length; i += 2) {
            out.writeShort(pairs[i]).writeInt(pairs[i + 1]);
        }
        return out;
    }

    public static ByteBuf settingsAck(ByteBufAllocator allocator) {
        return frame(allocator, 0, FrameReader.SETTINGS, FrameReader.ACK, 0);
    }

    public static ByteBuf ping(ByteBufAllocator allocator, boolean ack, long data) {
        return frame(allocator, 8, FrameReader.PING, ack ? FrameReader.ACK : 0, 0)
                .writeLong(data);
    }

    public static ByteBuf goAway(ByteBufAllocator allocator, int lastStream, Http2Error code, String detail) {
        byte[] text = detail.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(MAX_DETAIL, text.length);
        return frame(allocator, 8 + length, FrameReader.GOAWAY, 0, 0)
                .writeInt(lastStream)
                .writeInt((int) code.code())
                .writeBytes(text, 0, length);
    }

    public static ByteBuf reset(ByteBufAllocator allocator, int stream, Http2Error code) {
        return frame(allocator, 4, FrameReader.RST_STREAM, 0, stream).writeInt((int) code.code());
    }

    public static ByteBuf windowUpdate(ByteBufAllocator allocator, int stream, int increment) {
        return frame(allocator, 4, FrameReader.WINDOW_UPDATE, 0, stream).writeInt(increment);
    }

    /** The header of a DATA frame; its payload follows. */
    public static ByteBuf data(ByteBufAllocator allocator, int stream, int length, boolean end) {
        ByteBuf out = allocator.buffer(FrameReader.HEADER);
        header(out, length, FrameReader.DATA, end ? FrameReader.END_STREAM : 0, stream);
        return out;
    }

    /** A buffer for a header block, with room before it for the header of its frame. */
    public static ByteBuf block(ByteBufAllocator allocator, int estimate) {
        return allocator.buffer(FrameReader.HEADER + estimate).writeZero(FrameReader.HEADER);
    }

    /** Turns a buffer from {@link #block} that holds a block into frames. */
    public static ByteBuf headers(ByteBuf block, int stream, boolean end, int maxFrame) {
        int endStream = end ? FrameReader.END_STREAM : 0;
        int length = block.readableBytes() - FrameReader.HEADER;
        if (length <= maxFrame) {
            patch(block, length, endStream | FrameReader.END_HEADERS, stream);
            return block;
        }
        ByteBuf out = block.alloc().buffer(block.readableBytes() + FrameReader.HEADER * (length / maxFrame + 1));
        block.skipBytes(FrameReader.HEADER);
        header(out, maxFrame, FrameReader.HEADERS, endStream, stream);
        out.writeBytes(block, maxFrame);
        while (block.isReadable()) {
            int part = Math.min(maxFrame, block.readableBytes());
            boolean last = part == block.readableBytes();
            header(out, part, FrameReader.CONTINUATION, last ? FrameReader.END_HEADERS : 0, stream);
            out.writeBytes(block, part);
        }
        block.release();
        return out;
    }

    private static void patch(ByteBuf block, int length, int flags, int stream) {
        int end = block.writerIndex();
        block.writerIndex(block.readerIndex());
        header(block, length, FrameReader.HEADERS, flags, stream);
        block.writerIndex(end);
    }
}

package dev.sallyport.core.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.security.SecureRandom;

/** Writes frames (RFC 6455, 5.2): those of a client are masked, with unpredictable keys. */
public final class WebSocketFrameWriter {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int LONGEST_HEAD = 14;
    private static final int MASKED = 0x80;

    private WebSocketFrameWriter() {}

    /** A close frame without a reason. */
    public static ByteBuf close(ByteBufAllocator allocator, boolean masked, int code) {
        byte[] payload = {(byte) (code >> 8), (byte) code};
        return frame(allocator, FrameHeaderReader.FIN | FrameHeaderReader.CLOSE, masked, payload, payload.length);
    }

    static ByteBuf frame(ByteBufAllocator allocator, int first, boolean masked, byte[] payload, int length) {
        ByteBuf out = allocator.buffer(length + LONGEST_HEAD);
        int mask = masked ? RANDOM.nextInt() : 0;
        head(out, first, length, masked, mask);
        int start = out.writerIndex();
        out.writeBytes(payload, 0, length);
        if (mask != 0) {
            mask(out, start, mask);
        }
        return out;
    }

    /** Writes a frame header. */
    static void head(ByteBuf out, int first, long length, boolean masked, int mask) {
        int bit = masked ? MASKED : 0;
        out.writeByte(first);
        if (length < 126) {
            out.writeByte(bit | (int) length);
        } else if (length < 65_536) {
            out.writeByte(bit | 126).writeShort((int) length);
        } else {
            out.writeByte(bit | 127).writeLong(length);
        }
        if (masked) {
            out.writeInt(mask);
        }
    }

    private static void mask(ByteBuf out, int from, int mask) {
        int at = from;
        for (; at + Integer.BYTES <= out.writerIndex(); at += Integer.BYTES) {
            out.setInt(at, out.getInt(at) ^ mask);
        }
        for (int shift = 24; at < out.writerIndex(); at++, shift -= 8) {
            out.setByte(at, out.getByte(at) ^ (mask >>> shift));
        }
    }

    /** Unmasks; {@code phase} is the position in the payload of the first byte. */
    static void unmask(byte[] bytes, int length, int mask, long phase) {
        for (int i = 0; mask != 0 && i < length; i++) {
            bytes[i] ^= (byte) (mask >>> (24 - 8 * (int) ((phase + i) & 3)));
        }
    }
}

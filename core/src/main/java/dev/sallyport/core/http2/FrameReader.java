package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeadMeter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Splits an HTTP/2 connection into frames and checks whatever needs no stream state (RFC 9113, 3.4, 4 and 6). Data is
 * handed on as it arrives; every other frame whole; a header block as one, however many frames it came in. On one event
 * loop.
 */
public final class FrameReader {

    static final int HEADER = 9;
    public static final int MAX_FRAME = 16_384;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int ACK = 1;
    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;
    static final int PADDED = 8;
    static final int PRIORITISED = 32;

    public static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int PRIORITY_LENGTH = 5;
    private static final int SETTING = 6;
    private static final int PING_LENGTH = 8;

    /** The most frames of a legitimate header block. */
    private static final int MAX_CONTINUATIONS = 32;

    /** Receives frames. Buffers are lent to it, except those of DATA. */
    public interface Listener {

        /** A DATA frame; its parts and its end follow, and nothing else before that. */
        void dataBegins(int stream, int length) throws ConnectionErrorException;

        /** Some of a DATA frame; the buffer is the listener's. */
        void dataPart(ByteBuf part);

        /** Ends a DATA frame; {@code padding} counts its non-data bytes. */
        void dataEnds(int padding, boolean endStream) throws ConnectionErrorException;

        void headers(int stream, ByteBuf block, boolean endStream, int dependsOn) throws ConnectionErrorException;

        void priority(int stream, int dependsOn) throws ConnectionErrorException;

        /** A frame with a stream error. */
        void wrong(int stream, Http2Error code) throws ConnectionErrorException;

        void reset(int stream, long code) throws ConnectionErrorException;

        /** The peer opens or takes no further streams; it has processed none above {@code lastStream}. */
        void goAway(int lastStream, long code) throws ConnectionErrorException;

        void setting(int id, long value) throws ConnectionErrorException;

        void settings(boolean ack) throws ConnectionErrorException;

        void ping(boolean ack, long data) throws ConnectionErrorException;

        void windowUpdate(int stream, int increment) throws ConnectionErrorException;

        /** A frame that needs no action. */
        void ignored() throws ConnectionErrorException;
    }

    private final ByteBufAllocator allocator;
    private final int maxBlock;
    private final Listener listener;
    private final HeadMeter heads;
    private int prefaceSeen;
    private boolean settingsSeen;

    /** The remaining bytes of the current DATA frame; -1 when there is none. */
    private int dataLeft = -1;

    private int paddingLeft;
    private int notData;
    private boolean dataEndsStream;

    private int blockStream;
    private boolean blockEndsStream;
    private int blockDependsOn;
    private int continuations;
    private @Nullable ByteBuf block;

    private FrameReader(
            ByteBufAllocator allocator, int maxBlock, HeadMeter heads, Listener listener, boolean prefaceExpected) {
        this.prefaceSeen = prefaceExpected ? 0 : PREFACE.length;
        this.allocator = allocator;
        this.maxBlock = maxBlock;
        this.heads = heads;
        this.listener = listener;
    }

    /**
     * Reads what a client sends, from its preface on (RFC 9113, 3.4).
     *
     * @param maxBlock the longest encoded header block, in bytes
     * @param heads charged for header blocks that arrive in parts
     */
    public static FrameReader fromClient(ByteBufAllocator allocator, int maxBlock, HeadMeter heads, Listener listener) {
        return new FrameReader(allocator, maxBlock, heads, listener, true);
    }

    /** Reads what a server sends, from its SETTINGS on; the parameters are those of {@link #fromClient}. */
    public static FrameReader fromServer(ByteBufAllocator allocator, int maxBlock, HeadMeter heads, Listener listener) {
        return new FrameReader(allocator, maxBlock, heads, listener, false);
    }

    /** Whether a header block has begun and is not complete. */
    public boolean inBlock() {
        return blockStream != 0;
    }

    /** Whether the connection preface, which ends with the first SETTINGS, is still incomplete. */
    public boolean inPreface() {
        return !settingsSeen;
    }

    /** Releases what is held. */
    public void close() {
        blockStream = 0;
        ByteBuf held = block;
        block = null;
        if (held != null) {
            heads.give(held.readableBytes());
            held.release();
        }
    }

    /** Takes one step; returns false when it needs more bytes. */
    public boolean read(ByteBuf in) throws ConnectionErrorException {
        if (prefaceSeen < PREFACE.length) {
            return preface(in);
        }
        return dataLeft >= 0 ? data(in) : frame(in);
    }

    private boolean preface(ByteBuf in) throws ConnectionErrorException {
        while (prefaceSeen < PREFACE.length && in.isReadable()) {
            if (in.readByte() != PREFACE[prefaceSeen++]) {
                throw ConnectionErrorException.protocol("the connection preface is not that of HTTP/2");
            }
        }
        return prefaceSeen == PREFACE.length;
    }

    private boolean frame(ByteBuf in) throws ConnectionErrorException {
        if (in.readableBytes() < HEADER) {
            return false;
        }
        int start = in.readerIndex();
        int length = in.getUnsignedMedium(start);
        int type = in.getUnsignedByte(start + 3);
        int flags = in.getUnsignedByte(start + 4);
        int stream = in.getInt(start + 5) & 0x7fff_ffff;
        checkOrder(length, type, flags, stream);
        if (type == DATA) {
            return beginData(in, length, flags, stream);
        }
        if (in.readableBytes() < HEADER + length) {
            return false;
        }
        in.skipBytes(HEADER);
        payload(type, flags, stream, in.readSlice(length));
        return true;
    }

    private void checkOrder(int length, int type, int flags, int stream) throws ConnectionErrorException {
        if (!settingsSeen && (type != SETTINGS || (flags & ACK) != 0)) {
            throw ConnectionErrorException.protocol("the first frame is not SETTINGS");
        }
        if (length > MAX_FRAME) {
            throw ConnectionErrorException.frameSize("a frame is longer than was agreed");
        }
        boolean continues = type == CONTINUATION;
        if (inBlock() ? !continues || stream != blockStream : continues) {
            throw ConnectionErrorException.protocol("CONTINUATION frames out of place");
        }
    }

    private void payload(int type, int flags, int stream, ByteBuf payload) throws ConnectionErrorException {
        int length = payload.readableBytes();
        switch (type) {
            case HEADERS -> headers(flags, stream, payload);
            case PRIORITY -> {
                requireStream(stream);
                if (length != PRIORITY_LENGTH) {
                    listener.wrong(stream, Http2Error.FRAME_SIZE_ERROR);
                } else {
                    listener.priority(stream, payload.readInt() & 0x7fff_ffff);
                }
            }
            case RST_STREAM -> {
                requireStream(stream);
                requireLength(length, 4);
                listener.reset(stream, payload.readUnsignedInt());
            }
            case SETTINGS -> settings(flags, stream, payload);
            case PUSH_PROMISE -> throw ConnectionErrorException.protocol("an unrequested push");
            case PING -> {
                requireConnection(stream);
                requireLength(length, PING_LENGTH);
                listener.ping((flags & ACK) != 0, payload.readLong());
            }
            case GOAWAY -> {
                requireConnection(stream);
                if (length < 8) {
                    throw ConnectionErrorException.frameSize("a GOAWAY frame is too short");
                }
                listener.goAway(payload.readInt() & 0x7fff_ffff, payload.readUnsignedInt());
            }
            case WINDOW_UPDATE -> {
                requireLength(length, 4);
                listener.windowUpdate(stream, payload.readInt() & 0x7fff_ffff);
            }
            case CONTINUATION -> {
                if (++continuations > MAX_CONTINUATIONS) {
                    throw ConnectionErrorException.flood("a header block comes in too many frames");
                }
                fragment(payload, (flags & END_HEADERS) != 0);
            }
            default -> listener.ignored();
        }
    }

    private void settings(int flags, int stream, ByteBuf payload) throws ConnectionErrorException {
        requireConnection(stream);
        boolean ack = (flags & ACK) != 0;
        int length = payload.readableBytes();
        if (ack ? length != 0 : length % SETTING != 0) {
            throw ConnectionErrorException.frameSize("a SETTINGS frame has a wrong length");
        }
        settingsSeen = true;
        while (payload.isReadable()) {
            int id = payload.readUnsignedShort();
            listener.setting(id, payload.readUnsignedInt());
        }
        listener.settings(ack);
    }

    private void headers(int flags, int stream, ByteBuf payload) throws ConnectionErrorException {
        requireStream(stream);
        int padding = 0;
        if ((flags & PADDED) != 0) {
            requireAtLeast(payload, 1);
            padding = payload.readUnsignedByte();
        }
        blockDependsOn = 0;
        if ((flags & PRIORITISED) != 0) {
            requireAtLeast(payload, PRIORITY_LENGTH);
            blockDependsOn = payload.readInt() & 0x7fff_ffff;
            payload.skipBytes(1);
        }
        if (padding > payload.readableBytes()) {
            throw ConnectionErrorException.protocol("the padding is longer than its frame");
        }
        payload.writerIndex(payload.writerIndex() - padding);
        blockStream = stream;
        blockEndsStream = (flags & END_STREAM) != 0;
        continuations = 0;
        fragment(payload, (flags & END_HEADERS) != 0);
    }

    private void fragment(ByteBuf fragment, boolean last) throws ConnectionErrorException {
        ByteBuf before = block;
        if (before == null && last) {
            emit(fragment);
            return;
        }
        int size = before == null ? 0 : before.readableBytes();
        if (size + fragment.readableBytes() > maxBlock) {
            throw ConnectionErrorException.flood("a header block is far too large");
        }
        if (heads.take(fragment.readableBytes()) != HeadMeter.Room.ENOUGH) {
            throw ConnectionErrorException.flood("there is no room for a header block that comes in parts");
        }
        ByteBuf whole = before == null ? allocator.buffer(2 * fragment.readableBytes()) : before;
        block = whole;
        whole.writeBytes(fragment);
        if (last) {
            block = null;
            heads.give(whole.readableBytes());
            try {
                emit(whole);
            } finally {
                whole.release();
            }
        }
    }

    private void emit(ByteBuf whole) throws ConnectionErrorException {
        int stream = blockStream;
        blockStream = 0;
        listener.headers(stream, whole, blockEndsStream, blockDependsOn);
    }

    private boolean beginData(ByteBuf in, int length, int flags, int stream) throws ConnectionErrorException {
        requireStream(stream);
        boolean padded = (flags & PADDED) != 0;
        int padding = 0;
        if (padded) {
            if (length == 0) {
                throw ConnectionErrorException.frameSize("a padded frame without its padding");
            }
            if (in.readableBytes() < HEADER + 1) {
                return false;
            }
            padding = in.getUnsignedByte(in.readerIndex() + HEADER);
            if (padding >= length) {
                throw ConnectionErrorException.protocol("the padding is longer than its frame");
            }
        }
        in.skipBytes(padded ? HEADER + 1 : HEADER);
        notData = padded ? padding + 1 : 0;
        dataLeft = length - notData;
        paddingLeft = padding;
        dataEndsStream = (flags & END_STREAM) != 0;
        listener.dataBegins(stream, length);
        return true;
    }

    private boolean data(ByteBuf in) throws ConnectionErrorException {
        int part = Math.min(dataLeft, in.readableBytes());
        if (part > 0) {
            dataLeft -= part;
            listener.dataPart(in.readRetainedSlice(part));
        }
        int skipped = dataLeft > 0 ? 0 : Math.min(paddingLeft, in.readableBytes());
        in.skipBytes(skipped);
        paddingLeft -= skipped;
        if (dataLeft > 0 || paddingLeft > 0) {
            return false;
        }
        dataLeft = -1;
        listener.dataEnds(notData, dataEndsStream);
        return true;
    }

    private static void requireStream(int stream) throws ConnectionErrorException {
        if (stream == 0) {
            throw ConnectionErrorException.protocol("a frame that needs a stream names none");
        }
    }

    private static void requireConnection(int stream) throws ConnectionErrorException {
        if (stream != 0) {
            throw ConnectionErrorException.protocol("a frame of the connection names a stream");
        }
    }

    private static void requireLength(int length, int expected) throws ConnectionErrorException {
        if (length != expected) {
            throw ConnectionErrorException.frameSize("a frame has a wrong length");
        }
    }

    private static void requireAtLeast(ByteBuf payload, int bytes) throws ConnectionErrorException {
        if (payload.readableBytes() < bytes) {
            throw ConnectionErrorException.frameSize("a frame is too short for its flags");
        }
    }
}

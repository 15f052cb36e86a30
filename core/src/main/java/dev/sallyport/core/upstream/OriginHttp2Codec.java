package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http2.ConnectionErrorException;
import dev.sallyport.core.http2.FrameReader;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.FrameWriter;
import dev.sallyport.core.http2.PeerSettings;
import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2Error;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The channel handler of an HTTP/2 connection to an origin: sends the preface, feeds what is read to the frame reader, and
 * flushes what was sent in reply. Always keeps reading, because the streams' windows bound what they may receive. Confined
 * to the connection's loop.
 */
final class OriginHttp2Codec extends ByteToMessageDecoder {

    private static final ByteBuf PREFACE = Unpooled.unreleasableBuffer(Unpooled.directBuffer(FrameReader.PREFACE.length)
            .writeBytes(FrameReader.PREFACE)
            .asReadOnly());

    private final OriginHttp2Connection connection;
    private final int maxHeadBytes;
    private @Nullable FrameReader reader;
    private @Nullable FrameScheduler output;
    private boolean finished;

    /** @param maxHeadBytes the longest field section that is accepted */
    OriginHttp2Codec(OriginHttp2Connection connection, int maxHeadBytes) {
        this.connection = connection;
        this.maxHeadBytes = maxHeadBytes;
    }

    /** Where frames are sent. */
    FrameScheduler output() {
        FrameScheduler present = output;
        if (present == null) {
            throw new IllegalStateException("the codec is in no pipeline");
        }
        return present;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        PeerSettings settings = new PeerSettings(PeerSettings.Peer.SERVER);
        FrameScheduler out = new FrameScheduler(ctx, settings);
        output = out;
        OriginHttp2FrameHandler frames = new OriginHttp2FrameHandler(connection, out, settings, maxHeadBytes);
        reader = FrameReader.fromServer(ctx.alloc(), 2 * maxHeadBytes, HeadMeter.NONE, frames);
        connection.attached(frames, settings);
        out.write(PREFACE.duplicate());
        out.write(FrameWriter.settings(
                ctx.alloc(),
                FrameWriter.SETTINGS_ENABLE_PUSH,
                0,
                FrameWriter.SETTINGS_MAX_CONCURRENT_STREAMS,
                0,
                FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE,
                OriginHttp2FrameHandler.STREAM_WINDOW,
                FrameWriter.SETTINGS_MAX_HEADER_LIST_SIZE,
                maxHeadBytes));
        out.windowUpdate(0, OriginHttp2FrameHandler.CONNECTION_WINDOW - FrameWriter.INITIAL_WINDOW);
    }

    /** Sends GOAWAY and closes; what still arrives is dropped. */
    void close(Http2Error code, String detail) {
        if (!finished) {
            finished = true;
            FrameScheduler out = output();
            out.write(FrameWriter.goAway(out.allocator(), 0, code, detail));
            out.flush();
            out.context().close();
        }
    }

    /** Drops what still arrives. */
    void finish() {
        finished = true;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        FrameReader frames = Objects.requireNonNull(reader, "reader");
        output().batchBegins();
        try {
            boolean more = true;
            while (more && !finished) {
                more = frames.read(in);
            }
        } catch (ConnectionErrorException fault) {
            connection.connectionFault(fault.code());
            close(fault.code(), fault.detail());
        }
        if (finished) {
            in.skipBytes(in.readableBytes());
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        // What is incomplete stays so.
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        connection.heard();
        discardSomeReadBytes();
        output().batchEnded();
        ctx.read();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            output().flush();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        finished = true;
        connection.transportFault(cause);
        ctx.close();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        finished = true;
        FrameReader frames = reader;
        if (frames != null) {
            frames.close();
        }
        output().close();
    }
}

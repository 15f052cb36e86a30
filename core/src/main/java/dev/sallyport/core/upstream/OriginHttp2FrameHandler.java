package dev.sallyport.core.upstream;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;

import dev.sallyport.core.http2.DecodedFields;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;

/** Dispatches an origin's frames to their streams and stops floods of control frames. Confined to its loop. */
final class OriginHttp2FrameHandler extends Http2EventAdapter implements Http2RemoteFlowController.Listener {

    /** Frames of control in a row, with nothing of a message between them in either direction. */
    private static final int MAX_CONTROL_FRAMES = 1000;

    private final OriginHttp2Connection connection;
    private int controlFrames;

    OriginHttp2FrameHandler(OriginHttp2Connection connection) {
        this.connection = connection;
    }

    /** Something of a message was sent: an origin may have to say something to it. */
    void progress() {
        controlFrames = 0;
    }

    /** Something that belongs to no message. */
    void control() throws Http2Exception {
        if (++controlFrames > MAX_CONTROL_FRAMES) {
            throw Http2Exception.connectionError(ENHANCE_YOUR_CALM, "too many frames of control");
        }
    }

    @Override
    public int onDataRead(ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean end) {
        OriginHttp2Stream stream = connection.stream(id);
        int length = data.readableBytes();
        if (length > 0 || end) {
            progress();
        }
        if (stream == null) {
            return length + padding;
        }
        return stream.onData(data, end) + padding;
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext context, int id, Http2Headers fields, int padding, boolean end) {
        progress();
        OriginHttp2Stream stream = connection.stream(id);
        if (stream != null) {
            stream.onHeaders(((DecodedFields) fields).section(), end);
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context,
            int id,
            Http2Headers fields,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean end) {
        onHeadersRead(context, id, fields, padding, end);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext context, int id, long code) {
        OriginHttp2Stream stream = connection.stream(id);
        if (stream != null) {
            stream.onReset(code);
        }
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) throws Http2Exception {
        control();
        connection.onSettings(settings);
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        control();
    }

    @Override
    public void onPriorityRead(ChannelHandlerContext context, int id, int on, short weight, boolean exclusive)
            throws Http2Exception {
        control();
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext context, int lastId, long code, ByteBuf debugData)
            throws Http2Exception {
        control();
        connection.onGoAway(lastId, code);
    }

    /** Never asked for: {@code SETTINGS_ENABLE_PUSH} is 0 (RFC 9113, 8.4). */
    @Override
    public void onPushPromiseRead(
            ChannelHandlerContext context, int id, int promisedId, Http2Headers fields, int padding)
            throws Http2Exception {
        throw Http2Exception.connectionError(PROTOCOL_ERROR, "a push that was not asked for");
    }

    @Override
    public void onStreamClosed(Http2Stream closed) {
        connection.onClosed(closed.id());
    }

    @Override
    public void writabilityChanged(Http2Stream changed) {
        OriginHttp2Stream stream = connection.stream(changed.id());
        if (stream != null) {
            stream.onWritability();
        }
    }
}

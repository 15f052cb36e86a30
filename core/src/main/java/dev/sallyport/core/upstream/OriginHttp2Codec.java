package dev.sallyport.core.upstream;

import dev.sallyport.core.http2.DecodedFields;
import dev.sallyport.core.http2.OutgoingFields;
import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.AbstractHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Exception.StreamException;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder.SensitivityDetector;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream.State;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import org.jspecify.annotations.Nullable;

/**
 * Netty's HTTP/2 frames, flow control and stream states for the client's side, with our field sections; tells what went
 * wrong before it answers as the protocol demands. Frames are told to the listener, not to the pipeline.
 */
final class OriginHttp2Codec extends Http2ConnectionHandler {

    /** How many bytes of one response may be with the listener. */
    static final int STREAM_WINDOW = 256 * 1024;

    /** Streams on one connection at a time, whatever the origin allows. */
    static final int MAX_STREAMS = 100;

    /** So that streams whose listeners take nothing leave the others their windows. */
    static final int CONNECTION_WINDOW = MAX_STREAMS * STREAM_WINDOW;

    private static final int MAX_EMPTY_DATA_FRAMES = 32;
    private static final int MAX_SMALL_CONTINUATIONS = 16;

    /** Frames of streams that are no more, each of which is answered with a reset. */
    private static final int MAX_STRAYS = 1000;

    /** What a connection learns of faults. */
    interface Faults {

        /** One stream is broken by what the origin sent; it will be reset. */
        void streamFault(int streamId, Http2Error error);

        /** The connection is broken and will be closed. */
        void connectionFault(Http2Error error);

        /** Reading or writing failed; the channel will be closed. */
        void transportFault(Throwable cause);

        /** Something has been read. */
        void heard();
    }

    private final Faults faults;
    private @Nullable ChannelHandlerContext context;
    private int strays;

    private OriginHttp2Codec(
            Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings initial, Faults faults) {
        super(decoder, encoder, initial, true, false);
        this.faults = faults;
    }

    static OriginHttp2Codec create(int maxHeadBytes, OriginHttp2FrameHandler frames, Faults faults) {
        return new Builder(faults).frames(frames, maxHeadBytes).build();
    }

    /** Where frames are written. */
    ChannelHandlerContext context() {
        ChannelHandlerContext present = context;
        if (present == null) {
            throw new IllegalStateException("the codec is in no pipeline");
        }
        return present;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) throws Exception {
        context = added;
        super.handlerAdded(added);
        var window = decoder().flowController();
        var whole = connection().connectionStream();
        window.incrementWindowSize(whole, CONNECTION_WINDOW - window.initialWindowSize(whole));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext read) throws Exception {
        faults.heard();
        super.channelReadComplete(read);
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext where, boolean outbound, Throwable cause, StreamException exception) {
        var stream = connection().stream(exception.streamId());
        if (outbound && (stream == null || stream.state() == State.CLOSED)) {
            return; // what was still to be sent on it is dropped, and the origin knows
        }
        if (stream == null && ++strays > MAX_STRAYS) {
            onConnectionError(
                    where,
                    outbound,
                    cause,
                    Http2Exception.connectionError(
                            Http2Error.ENHANCE_YOUR_CALM, "too many frames for streams that are no more"));
            return;
        }
        faults.streamFault(exception.streamId(), exception.error());
        super.onStreamError(where, outbound, cause, exception);
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext where, boolean outbound, Throwable cause, @Nullable Http2Exception exception) {
        if (exception == null) {
            faults.transportFault(cause);
        } else {
            faults.connectionFault(exception.error());
        }
        super.onConnectionError(where, outbound, cause, exception);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext where, Throwable cause) {
        HeapExhaustion.note(cause);
        faults.transportFault(cause);
        where.close();
    }

    /** Decodes into our field sections. */
    private static final class FieldDecoder extends DefaultHttp2HeadersDecoder {

        FieldDecoder(int maxHeadBytes) {
            super(false, maxHeadBytes); // the section knows the rules
        }

        @Override
        protected Http2Headers newHeaders() {
            return new DecodedFields();
        }
    }

    /** Counts the frames of which the decoder says nothing to anybody when their stream is not known. */
    private static final class Reader extends DefaultHttp2FrameReader {

        private final OriginHttp2FrameHandler frames;
        private @Nullable Http2FrameListener counting;

        Reader(FieldDecoder fields, OriginHttp2FrameHandler frames) {
            super(fields, MAX_SMALL_CONTINUATIONS);
            this.frames = frames;
        }

        @Override
        public void readFrame(ChannelHandlerContext where, ByteBuf input, Http2FrameListener decoder)
                throws Http2Exception {
            Http2FrameListener listener = counting;
            if (listener == null) {
                listener = new Counting(decoder, frames);
                counting = listener;
            }
            super.readFrame(where, input, listener);
        }
    }

    private static final class Counting extends Http2FrameListenerDecorator {

        private final OriginHttp2FrameHandler frames;

        Counting(Http2FrameListener decoder, OriginHttp2FrameHandler frames) {
            super(decoder);
            this.frames = frames;
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext where, int id, long code) throws Http2Exception {
            frames.control();
            super.onRstStreamRead(where, id, code);
        }

        @Override
        public void onUnknownFrame(ChannelHandlerContext where, byte type, int id, Http2Flags flags, ByteBuf payload)
                throws Http2Exception {
            frames.control();
            super.onUnknownFrame(where, type, id, flags, payload);
        }
    }

    private static final class Builder extends AbstractHttp2ConnectionHandlerBuilder<OriginHttp2Codec, Builder> {

        private static final SensitivityDetector SECRETS = (name, value) -> OutgoingFields.isSensitive(value);

        private final Faults faults;

        Builder(Faults faults) {
            this.faults = faults;
        }

        Builder frames(OriginHttp2FrameHandler frames, int maxHeadBytes) {
            DefaultHttp2Connection connection = new DefaultHttp2Connection(false, 0);
            connection
                    .remote()
                    .flowController(new DefaultHttp2RemoteFlowController(
                            connection, new UniformStreamByteDistributor(connection)));
            Http2ConnectionEncoder encoder =
                    new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter(SECRETS, true));
            Http2ConnectionDecoder decoder = new DefaultHttp2ConnectionDecoder(
                    connection, encoder, new Reader(new FieldDecoder(maxHeadBytes), frames));
            decoderEnforceMaxConsecutiveEmptyDataFrames(MAX_EMPTY_DATA_FRAMES);
            frameListener(frames);
            initialSettings(Http2Settings.defaultSettings()
                    .pushEnabled(false)
                    .maxConcurrentStreams(0)
                    .initialWindowSize(STREAM_WINDOW)
                    .maxHeaderListSize(maxHeadBytes));
            return codec(decoder, encoder);
        }

        @Override
        protected OriginHttp2Codec build() {
            return super.build();
        }

        @Override
        protected OriginHttp2Codec build(
                Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
            return new OriginHttp2Codec(decoder, encoder, settings, faults);
        }
    }
}

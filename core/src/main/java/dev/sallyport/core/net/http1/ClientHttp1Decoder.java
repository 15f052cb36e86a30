package dev.sallyport.core.net.http1;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http1.HeaderBlockFactory;
import dev.sallyport.core.net.request.PartialRequest;
import dev.sallyport.core.net.request.RefusedException;
import dev.sallyport.core.net.request.RequestHeadRules;
import dev.sallyport.toolkit.headers.ReservedFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A strict version of Netty's decoder: input that Netty would repair is refused, because the next reader might repair
 * it differently. Fills {@link HeaderBlock}s. Can be paused between two messages, so that one exchange is in progress
 * at a time and pipelined requests wait here undecoded.
 *
 * <p>Emits {@link HttpRequest}, {@link HttpContent} and {@link LastHttpContent}, or {@link Malformed}, after which
 * decoding stops.
 */
public final class ClientHttp1Decoder extends HttpRequestDecoder {

    /** The most that is decoded at once; the credit of a body is a window of this size, too. */
    public static final int WINDOW = 64 * 1024;

    /** Chunk framing may be this many times as long as the body, plus {@link ProxyLimits#chunkFramingBytes}. */
    private static final int FRAMING_RATIO = 16;

    private static final int REQUEST_AND_LAST_LINE = 2;
    private static final String CONTENT_LENGTH = "content-length";
    private static final String WEBSOCKET_KEY = "sec-websocket-key1";

    /** A message that cannot be understood in exactly one way. */
    public record Malformed(Refusal refusal, PartialRequest outline) {}

    /** The part of a message that is being decoded. */
    private enum Part {
        HEAD,
        BODY,
        TRAILERS
    }

    /** What happens to bytes that have arrived. */
    private enum Mode {
        DECODING,
        /** They wait until the previous message has been answered. */
        PAUSED,
        /** They are dropped, for good. */
        DISCARDING
    }

    private final ProxyLimits limits;
    private final int maxLines;
    private final HeadMeter heads;

    /** What the message in progress has taken of {@link #heads}. */
    private int charged;

    private final HeadLineScanner scanner = new HeadLineScanner();
    private Part part = Part.HEAD;
    private Mode mode = Mode.DECODING;
    private boolean chunked;
    private long framing;
    private long payload;
    private int lengths;
    private @Nullable String fault;

    /** The message whose head is being decoded. */
    private @Nullable HttpRequest begun;

    /** The index in the buffer at which the part being decoded begins. */
    private int from;

    /** Messages are being emitted: a guard against reentrance. */
    private boolean emitting;

    private boolean batch;
    private @Nullable ChannelHandlerContext context;

    /** @param heads charged as heads and trailers grow; {@link #releaseHead} returns what they hold */
    public ClientHttp1Decoder(ProxyLimits limits, HeadMeter heads) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.requestLineBytes().toInt())
                .setMaxHeaderSize(limits.headerBytes().toInt())
                .setMaxChunkSize(WINDOW)
                .setStrictLineParsing(true)
                .setUseRfc9112TransferEncoding(true)
                .setHeadersFactory(HeaderBlockFactory.HEADS)
                .setTrailersFactory(HeaderBlockFactory.TRAILERS));
        this.limits = limits;
        this.maxLines = limits.headerCount() + REQUEST_AND_LAST_LINE;
        this.heads = heads;
    }

    /** The message has been answered. After one that was not understood, what has been decoded is still held here. */
    void releaseHead() {
        if (mode != Mode.DISCARDING) {
            heads.give(charged);
            charged = 0;
        }
    }

    /** Stops decoding until {@link #resume}. */
    void pause() {
        if (mode == Mode.DECODING) {
            mode = Mode.PAUSED;
        }
    }

    /** Resumes decoding, with what has arrived meanwhile first. */
    void resume() {
        if (mode != Mode.PAUSED) {
            return;
        }
        mode = Mode.DECODING;
        ChannelHandlerContext ctx = context;
        if (!emitting && ctx != null && buffered() > 0) {
            emitting = true;
            try {
                super.channelRead(ctx, Unpooled.EMPTY_BUFFER);
            } catch (Exception e) {
                ctx.fireExceptionCaught(e);
            } finally {
                emitting = false;
            }
        }
    }

    /** Drops all further input. */
    void discard() {
        mode = Mode.DISCARDING;
    }

    /** The number of bytes that have arrived and are not decoded. */
    int buffered() {
        return actualReadableBytes();
    }

    /** Whether a head has begun to arrive and is not complete. */
    boolean inHead() {
        return part == Part.HEAD && scanner.inHead();
    }

    /** What has arrived of a head that is not complete. */
    PartialRequest begun() {
        ByteBuf in = internalBuffer();
        from = in.readerIndex();
        return outline(in);
    }

    /** Whether messages are being emitted now, so that {@link #resume} takes effect afterwards. */
    boolean emitting() {
        return emitting;
    }

    /** Whether the end of a batch of reads is still to come; it flushes. */
    boolean inBatch() {
        return batch;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        context = ctx;
        super.handlerAdded(ctx);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
        context = null;
        super.handlerRemoved0(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object input) throws Exception {
        boolean outermost = !emitting;
        batch = true;
        emitting = true;
        try {
            super.channelRead(ctx, input);
        } finally {
            if (outermost) {
                emitting = false;
            }
        }
    }

    /** Unlike Netty's version this never requests a read: {@link ClientHttp1Connection} does, where there is credit. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        batch = false;
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
    }

    /** Unlike Netty's version this does not end decoding at the end of input: requests may still wait here. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        if (mode == Mode.DISCARDING) {
            in.skipBytes(in.readableBytes());
        } else if (mode == Mode.DECODING) {
            decodeMore(ctx, in, out);
        }
    }

    private void decodeMore(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        from = in.readerIndex();
        if (part != Part.BODY) {
            String wrong = scanner.scan(in);
            if (wrong != null) {
                refuse(in, out, Refusal.badRequest(wrong));
                return;
            }
            if (scanner.atStart()) {
                return;
            }
            Refusal full = charge();
            if (full != null) {
                refuse(in, out, full);
                return;
            }
        }
        int before = in.readableBytes();
        byte first = in.getByte(in.readerIndex());
        int start = in.readerIndex();
        int had = out.size();
        super.decode(ctx, in, out);
        int used = before - in.readableBytes();
        scanner.consumed(used);
        if (out.size() > had) {
            follow(in, out, had, used);
        } else if (part == Part.BODY && used > 0) {
            framed(in, out, used);
            if (part == Part.BODY && first == '0' && isLastChunk(in, start, start + used)) {
                part = Part.TRAILERS;
                scanner.beginTrailers();
            }
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        // The connection is gone: incomplete messages stay incomplete, and ClientHttp1Connection knows about it.
    }

    /** Takes memory for what has arrived of a head, before it is decoded. */
    private @Nullable Refusal charge() {
        int more = scanner.bytes() + scanner.lines() * HeadBudget.FIELD_COST - scanner.charged();
        if (more <= 0) {
            return null;
        }
        HeadMeter.Room room = heads.take(more);
        if (room == HeadMeter.Room.NOWHERE) {
            return RequestHeadRules.crowdedOut();
        }
        if (room == HeadMeter.Room.NOT_HERE) {
            return RequestHeadRules.headTooLarge("the header fields are too large");
        }
        scanner.charged(more);
        charged += more;
        return inHead() && scanner.lines() > maxLines
                ? RequestHeadRules.headTooLarge("there are too many header fields")
                : null;
    }

    /** Follows the decoder's position by what it emits. */
    private void follow(ByteBuf in, List<Object> out, int from, int used) {
        long data = 0;
        for (int i = from; i < out.size(); i++) {
            HttpObject object = (HttpObject) out.get(i);
            if (object.decoderResult().isFailure()) {
                replaceByFault(in, out, i, object.decoderResult());
                return;
            }
            if (object instanceof HttpRequest request) {
                if (fault != null || lengths > 1) {
                    String wrong = fault == null ? "there is more than one Content-Length" : fault;
                    dropFrom(out, i);
                    refuse(in, out, Refusal.badRequest(wrong));
                    return;
                }
                part = Part.BODY;
                begun = null;
                chunked = request.headers().contains("Transfer-Encoding");
                framing = 0;
                payload = 0;
                used = 0;
            } else if (object instanceof HttpContent content) {
                data += content.content().readableBytes();
                if (object instanceof LastHttpContent last) {
                    Refusal wrong = trailers(last);
                    if (wrong != null) {
                        dropFrom(out, i);
                        refuse(in, out, wrong);
                        return;
                    }
                    part = Part.HEAD;
                    scanner.beginHead();
                }
            }
        }
        payload += data;
        framed(in, out, used - data);
    }

    private @Nullable Refusal trailers(LastHttpContent last) {
        if (fault != null) {
            return Refusal.badRequest(fault);
        }
        if (last.trailingHeaders() instanceof HeaderBlock trailers && !trailers.isEmpty()) {
            if (!RequestHeadRules.trailersFit(trailers, limits)) {
                return RequestHeadRules.headTooLarge("the trailer fields are too many or too large");
            }
            try {
                RequestHeadRules.checkFields(trailers, limits.trailerCount());
            } catch (RefusedException e) {
                return e.refusal();
            }
        }
        return null;
    }

    /** Counts chunk framing, so that a client cannot make much work with little data. */
    private void framed(ByteBuf in, List<Object> out, long bytes) {
        if (!chunked || part != Part.BODY) {
            return;
        }
        framing += Math.max(0, bytes);
        if (framing > limits.chunkFramingBytes().bytes() + FRAMING_RATIO * payload) {
            refuse(in, out, Refusal.badRequest("the chunks of the body are mostly framing"));
        }
    }

    /** Whether the chunk-size line that was just consumed, without data, was zero. */
    private boolean isLastChunk(ByteBuf in, int from, int to) {
        int i = from;
        while (i < to && in.getByte(i) == '0') {
            i++;
        }
        return chunked && i < to && Character.digit(in.getByte(i), 16) < 0;
    }

    private void replaceByFault(ByteBuf in, List<Object> out, int at, DecoderResult result) {
        dropFrom(out, at);
        refuse(in, out, refusal(result.cause()));
    }

    private static void dropFrom(List<Object> out, int at) {
        while (out.size() > at) {
            ReferenceCountUtil.release(out.remove(out.size() - 1));
        }
    }

    private void refuse(ByteBuf in, List<Object> out, Refusal refusal) {
        mode = Mode.DISCARDING;
        PartialRequest outline = outline(in);
        begun = null;
        in.skipBytes(in.readableBytes());
        out.add(new Malformed(refusal, outline));
    }

    /** An outline of the head, from what has been decoded and what has not. */
    private PartialRequest outline(ByteBuf in) {
        if (part != Part.HEAD) {
            return PartialRequest.NONE;
        }
        HttpRequest decoded = begun;
        String host = decoded == null ? null : decoded.headers().get("Host");
        ByteBuf rest = in.slice(from, in.writerIndex() - from); // the decoder skips what it rejects
        return decoded == null
                ? PartialRequest.of(rest)
                : new PartialRequest(decoded.method().name(), decoded.uri(), host == null ? scanner.host() : host)
                        .with(rest);
    }

    private Refusal refusal(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return part == Part.HEAD
                    ? new Refusal(414, "uri_too_long", "the request line is too long", "http_request_error")
                    : Refusal.badRequest("a line of chunk framing is too long");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return RequestHeadRules.headTooLarge("the header fields are too large");
        }
        return Refusal.badRequest(
                part == Part.HEAD ? "the head of the request is malformed" : "the chunk framing is malformed");
    }

    @Override
    protected HttpMessage createMessage(String[] initialLine) throws Exception {
        lengths = 0;
        fault = null;
        HttpMessage message = super.createMessage(initialLine);
        begun = message instanceof HttpRequest request ? request : null;
        return message;
    }

    /** Sees names before the decoder acts on them: it merges lengths, and finds bodies where there are none. */
    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (length == 0) {
            throw new IllegalArgumentException("a header field has no name");
        }
        AsciiString name = super.splitHeaderName(line, start, length);
        if (length == CONTENT_LENGTH.length() && name.contentEqualsIgnoreCase(CONTENT_LENGTH)) {
            lengths++;
        } else if (length == WEBSOCKET_KEY.length() && name.contentEqualsIgnoreCase(WEBSOCKET_KEY)) {
            fault = "the request is of an obsolete WebSocket draft, whose body has no declared length";
        }
        if (part == Part.TRAILERS && ReservedFields.isHeadOnly(name.toString())) {
            fault = RequestHeadRules.HEAD_ONLY; // the decoder drops some of these silently
        }
        return name;
    }
}

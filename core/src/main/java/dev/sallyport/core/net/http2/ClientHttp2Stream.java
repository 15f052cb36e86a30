package dev.sallyport.core.net.http2;

import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.SendingStream;
import dev.sallyport.core.http2.StreamSendQueue;
import dev.sallyport.core.net.connection.HttpClientStream;
import dev.sallyport.core.net.connection.RequestGate;
import dev.sallyport.core.net.connection.StallDetector;
import dev.sallyport.core.net.request.DecodedRequest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream of an HTTP/2 connection: a request and its response. Its window bounds what it receives; {@link
 * #isWritable} bounds what it holds for the client. On the connection's loop.
 */
final class ClientHttp2Stream extends HttpClientStream implements SendingStream {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHttp2Stream.class);
    private static final HeaderBlock NONE = new HeaderBlock(1);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;

    private final ClientHttp2Connection connection;
    private final FrameScheduler output;
    private final int stream;
    private final StreamReceiver receiver;
    private final StreamSendQueue sendQueue = new StreamSendQueue();
    private final HeadCharge held;
    private DecodedRequest request;
    private final boolean headOnly;
    private final RequestGate upload = new RequestGate();
    private ClientHttp2ResponseState response = ClientHttp2ResponseState.PENDING;

    /** The bytes from before the upgrade have been passed on. */
    private boolean upgraded;

    private boolean permitted;
    private Http2Error ending = Http2Error.NO_ERROR;

    /** The declared bytes of the body that are still to come; -1 when its length was not declared. */
    private long remaining = -1;

    private boolean full;

    /** The progress at the last check; -1 when it was not the client's turn. */
    private long mark = -1;

    ClientHttp2Stream(
            ClientHttp2Connection connection,
            FrameScheduler output,
            int stream,
            HeadCharge held,
            DecodedRequest request,
            int sendWindow,
            int receiveWindow) {
        this.connection = connection;
        this.output = output;
        this.stream = stream;
        this.held = held;
        this.request = request;
        this.headOnly = request.headOnly();
        this.receiver = new StreamReceiver(request, receiveWindow);
        sendQueue.window(sendWindow);
        if (request.malformed()) {
            ending = Http2Error.PROTOCOL_ERROR;
        }
    }

    // Calls of the connection.

    @Override
    public int id() {
        return stream;
    }

    @Override
    public ChannelPromise promise(boolean last) {
        return output.context().voidPromise();
    }

    DecodedRequest request() {
        return request;
    }

    /** Its share of the budget for heads. */
    HeadCharge held() {
        return held;
    }

    @Override
    public StreamSendQueue sendQueue() {
        return sendQueue;
    }

    /** A permit has been granted, so a record will be written in any case. */
    void permitted() {
        permitted = true;
    }

    boolean isPermitted() {
        return permitted;
    }

    /** The exchange has begun; the data that has arrived meanwhile follows. */
    void begun(ClientStreamListener begun) {
        if (response.isOver()) {
            return;
        }
        upload.open(begun);
        if (request.upgrade() != null) {
            upload.end(new HeaderBlock(1));
        } else {
            passOn();
        }
    }

    private void passOn() {
        for (ByteBuf data = receiver.poll(); data != null; data = receiver.poll()) {
            upload.data(data);
        }
        HeaderBlock trailers = receiver.trailers();
        if (trailers != null) {
            upload.end(trailers);
        }
    }

    /** The receiving half. */
    StreamReceiver receiver() {
        return receiver;
    }

    /** A part of the body; the exchange owns the buffer. */
    void received(ByteBuf data) {
        if (upload.isShut()) {
            data.release();
        } else if (!receiver.count(data.readableBytes())) {
            data.release();
            malformed("the body is longer than its Content-Length");
        } else if (reads()) {
            upload.data(StreamReceiver.compact(data));
        } else {
            receiver.hold(StreamReceiver.compact(data));
        }
    }

    /** Whether arriving data is passed on at once. */
    private boolean reads() {
        return upload.hasBegun() && (request.upgrade() == null || upgraded);
    }

    /** The client has ended its side. */
    void ended(HeaderBlock trailers) {
        if (upload.isShut()) {
            receiver.end(trailers);
            if (response == ClientHttp2ResponseState.CLOSED) {
                connection.finished(this);
            }
            return;
        }
        if (!receiver.isWhole()) {
            malformed("the body is shorter than its Content-Length");
            return;
        }
        if (!trailers.isEmpty()) {
            HopByHop.strip(trailers);
        }
        receiver.end(trailers);
        if (reads()) {
            upload.end(trailers);
            endRaw();
        }
    }

    /** Another protocol ends when both halves have ended. */
    private void endRaw() {
        if (response == ClientHttp2ResponseState.HALF_CLOSED && clientHalfEnded()) {
            close();
        }
    }

    private boolean clientHalfEnded() {
        return upgraded && receiver.isEnded();
    }

    /** The message was cut off; the exchange may still answer, then the stream is reset. */
    void malformed(String detail) {
        ending = Http2Error.PROTOCOL_ERROR;
        receiver.breakOff();
        if (!response.isOver() && !upload.hasBegun()) {
            request = request.turnedMalformed(Refusal.badRequest(detail));
        } else {
            upload.broken(Refusal.badRequest(detail));
        }
    }

    /** Whether the client's message is malformed. */
    boolean isBrokenOff() {
        return ending != Http2Error.NO_ERROR;
    }

    /** The client has stopped in the middle of its message. */
    private void late() {
        receiver.breakOff();
        upload.broken(StallDetector.STALLED);
    }

    /** The stream is gone; the client cannot be answered. */
    void gone(DisconnectReason why) {
        response = response.breaksOff();
        receiver.discard();
        sendQueue.discard();
        upload.gone(why);
    }

    @Override
    public void drained() {
        if (full && sendQueue.isLow()) {
            full = false;
            upload.writable();
        }
    }

    @Override
    public void written() {
        if (response == ClientHttp2ResponseState.ENDING_HALF && !clientHalfEnded()) {
            response = response.halfWritten();
        } else if (response != ClientHttp2ResponseState.CLOSED) {
            close();
        }
    }

    /** Both the response and its last frame are done. */
    private void close() {
        response = response.written();
        over();
        if (ending != Http2Error.NO_ERROR) {
            connection.reset(this, ending);
        } else if (receiver.isEnded()) {
            connection.finished(this);
        } else {
            connection.linger(this);
        }
    }

    /** Periodic check: resets the stream if the client made no progress since the last one. */
    void lookAtTime() {
        if (response == ClientHttp2ResponseState.CLOSED) {
            return;
        }
        boolean owed = sendQueue.isHolding() || isAwaited();
        long moved = sendQueue.moved() + receiver.moved();
        if (!owed) {
            mark = -1;
        } else if (mark != moved) {
            mark = moved;
        } else if (sendQueue.isHolding()) {
            LOG.debug("stream {} is reset: the client does not read its response", stream);
            connection.cancel(this, Http2Error.CANCEL, DisconnectReason.UNREAD);
        } else {
            late();
        }
    }

    /** Whether the exchange waits for request bytes and no response has begun. */
    private boolean isAwaited() {
        return upload.hasBegun()
                && response == ClientHttp2ResponseState.PENDING
                && request.upgrade() == null
                && receiver.isAwaited();
    }

    @Override
    public void unsendable(IllegalArgumentException reason) {
        LOG.warn("trailers cannot be sent: {}", reason.getMessage());
        response = response.breaksOff();
        over();
        sendQueue.discard();
        connection.reset(this, Http2Error.INTERNAL_ERROR);
    }

    // Calls of the exchange.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void interim(ResponseMessage head) {
        if (response == ClientHttp2ResponseState.PENDING && head.status() != SWITCHING_PROTOCOLS) {
            guarded(() -> output.response(this, head.status(), head.headers(), false, false));
        }
    }

    @Override
    protected boolean isPending() {
        return response == ClientHttp2ResponseState.PENDING;
    }

    @Override
    protected @Nullable String upgrade() {
        return request.upgrade();
    }

    @Override
    protected void finalHead(ResponseMessage head, boolean end) {
        int status = head.status();
        boolean bodyless = headOnly || !head.mayHaveBody();
        String declared = head.headers().first("Content-Length");
        if (!bodyless && declared != null) {
            remaining = Long.parseLong(declared);
        }
        boolean over = bodyless || (end && remaining <= 0);
        output.response(this, status, head.headers(), status != NO_CONTENT, over);
        response = response.headSent(over);
        if (end) {
            end(NONE);
        }
    }

    /** RFC 8441, 5: 200 takes the place of HTTP/1.1's 101. */
    @Override
    protected void switchProtocol(ResponseMessage head) {
        head.headers().removeAll("Sec-WebSocket-Accept");
        output.response(this, OK, head.headers(), false, false);
        response = response.upgrades();
        loop().execute(() -> {
            upgraded = true;
            if (upload.hasBegun() && response != ClientHttp2ResponseState.CLOSED) {
                passOn();
                endRaw();
            }
        });
    }

    @Override
    public void data(ByteBuf data) {
        int size = data.readableBytes();
        if ((response != ClientHttp2ResponseState.BODY && response != ClientHttp2ResponseState.UPGRADED) || size == 0) {
            data.release();
            return;
        }
        if (remaining >= 0) {
            remaining -= size;
            if (remaining < 0) {
                data.release();
                abort();
                return;
            }
        }
        sendQueue.add(data);
        full |= sendQueue.isFull();
        output.ready(this);
    }

    @Override
    public void end(HeaderBlock trailers) {
        switch (response) {
            case PENDING -> abort();
            case HEAD_ONLY -> written();
            case BODY -> {
                if (remaining > 0) {
                    abort();
                } else {
                    response = response.ends();
                    over();
                    sendEnd(trailers);
                }
            }
            case UPGRADED -> {
                response = response.halfEnds();
                sendEnd(trailers);
            }
            case ENDING_HALF, HALF_CLOSED, ENDED, CLOSED -> {}
        }
    }

    private void sendEnd(HeaderBlock trailers) {
        sendQueue.end(trailers);
        output.ready(this);
    }

    /** The response was handed over; frees the request, since the client may read slowly. */
    private void over() {
        upload.shut();
        receiver.discard();
        request = request.withoutHead();
        held.answered();
    }

    @Override
    public boolean isWritable() {
        return !sendQueue.isFull();
    }

    @Override
    public void consumed(int bytes) {
        if (response == ClientHttp2ResponseState.CLOSED) {
            return;
        }
        int increment = receiver.giveBack(bytes);
        if (increment > 0) {
            output.windowUpdate(stream, increment);
        }
    }

    @Override
    public boolean acceptsTrailers() {
        return true;
    }

    @Override
    public void abort() {
        if (!response.isOver()) {
            response = response.breaksOff();
            over();
            sendQueue.discard();
            connection.reset(this, ending == Http2Error.NO_ERROR ? Http2Error.INTERNAL_ERROR : ending);
        }
    }
}

package dev.sallyport.core.net.http2;

import dev.sallyport.core.exchange.ClientStream;
import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.SendingStream;
import dev.sallyport.core.http2.StreamSendQueue;
import dev.sallyport.core.net.connection.RequestGate;
import dev.sallyport.core.net.connection.StallDetector;
import dev.sallyport.core.net.request.DecodedRequest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream of an HTTP/2 connection: a request and its response. Its window bounds what it receives; {@link
 * #isWritable} bounds what it holds for the client. On the connection's loop.
 */
final class ClientHttp2Stream implements ClientStream, SendingStream {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHttp2Stream.class);
    private static final HeaderBlock NONE = new HeaderBlock(1);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;

    /** How far the response is. */
    private enum Phase {
        /** The head is still to come. */
        UNDECIDED,
        /** The message has ended with its head, whatever else is handed over. */
        HEAD_ONLY,
        BODY,
        /** After an upgrade: the half towards the client has ended, the other has not. */
        HALF,
        /** Nothing more may be sent. */
        ENDED
    }

    private final ClientHttp2Connection connection;
    private final FrameScheduler output;
    private final int stream;
    private final StreamReceiver inbox;
    private final StreamSendQueue outbox = new StreamSendQueue();
    private final HeadCharge held;
    private DecodedRequest request;
    private final boolean headOnly;
    private final RequestGate upload = new RequestGate();
    private Phase phase = Phase.UNDECIDED;

    /** Another protocol, each half of which ends by itself. */
    private boolean raw;

    /** What came before the upgrade has been passed on. */
    private boolean upgraded;

    private boolean permitted;
    private boolean lastWritten;
    private boolean closed;
    private Http2Error ending = Http2Error.NO_ERROR;

    /** Bytes of the body that were declared and are still to come; -1 when none were declared. */
    private long remaining = -1;

    private boolean full;

    /** What had moved when the time was last looked at; -1 when it was not the client's turn. */
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
        this.inbox = new StreamReceiver(request, receiveWindow);
        outbox.window(sendWindow);
        if (request.refusal() != null && !request.keepAlive()) { // malformed
            ending = Http2Error.PROTOCOL_ERROR;
        }
    }

    // What the connection tells.

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

    /** What it holds of the budget for heads. */
    HeadCharge held() {
        return held;
    }

    @Override
    public StreamSendQueue outbox() {
        return outbox;
    }

    /** There is a permit, and with it a record, whatever becomes of it. */
    void permitted() {
        permitted = true;
    }

    boolean isPermitted() {
        return permitted;
    }

    /** The exchange has begun; what has arrived meanwhile follows. */
    void begun(ClientStreamListener begun) {
        if (phase == Phase.ENDED) {
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
        for (ByteBuf data = inbox.poll(); data != null; data = inbox.poll()) {
            upload.data(data);
        }
        HeaderBlock trailers = inbox.trailers();
        if (trailers != null) {
            upload.end(trailers);
        }
    }

    /** What comes from the client: its window, and how far its message is. */
    StreamReceiver inbox() {
        return inbox;
    }

    /** Some of the body; the buffer is the exchange's. */
    void received(ByteBuf data) {
        if (upload.isShut()) {
            data.release();
        } else if (!inbox.count(data.readableBytes())) {
            data.release();
            malformed("the body is longer than its Content-Length");
        } else if (reads()) {
            upload.data(StreamReceiver.compact(data));
        } else {
            inbox.hold(StreamReceiver.compact(data));
        }
    }

    /** Whether what arrives goes to the upload at once. */
    private boolean reads() {
        return upload.hasBegun() && (request.upgrade() == null || upgraded);
    }

    /** The client has ended its side. */
    void ended(HeaderBlock trailers) {
        if (upload.isShut()) {
            inbox.end(trailers);
            if (closed) {
                connection.finished(this);
            }
            return;
        }
        if (!inbox.isWhole()) {
            malformed("the body is shorter than its Content-Length");
            return;
        }
        if (!trailers.isEmpty()) {
            HopByHop.strip(trailers);
        }
        inbox.end(trailers);
        if (reads()) {
            upload.end(trailers);
            endRaw();
        }
    }

    /** Another protocol is over when both halves are. */
    private void endRaw() {
        if (raw && lastWritten) {
            written();
        }
    }

    /** The message broke off; the exchange may still answer, then the stream is reset. */
    void malformed(String detail) {
        ending = Http2Error.PROTOCOL_ERROR;
        inbox.breakOff();
        if (phase != Phase.ENDED && !upload.hasBegun()) {
            request = DecodedRequest.malformed(Refusal.badRequest(detail), request.head(), request.destination());
        } else {
            upload.broken(Refusal.badRequest(detail));
        }
    }

    /** Whether the client's message is one that cannot be. */
    boolean isBrokenOff() {
        return ending != Http2Error.NO_ERROR;
    }

    /** The client has stopped in the middle of its message. */
    private void late() {
        inbox.breakOff();
        upload.broken(StallDetector.STALLED);
    }

    /** Nobody is left to answer: the stream is no more. */
    void gone(DisconnectReason why) {
        closed = true;
        phase = Phase.ENDED;
        inbox.discard();
        outbox.discard();
        upload.gone(why);
    }

    @Override
    public void drained() {
        if (full && outbox.isLow()) {
            full = false;
            upload.writable();
        }
    }

    @Override
    public void written() {
        lastWritten = true;
        if (closed || (phase == Phase.HALF && !(upgraded && inbox.isEnded()))) {
            return;
        }
        over();
        closed = true;
        if (ending != Http2Error.NO_ERROR) {
            connection.reset(this, ending);
        } else if (inbox.isEnded()) {
            connection.finished(this);
        } else {
            connection.linger(this);
        }
    }

    /** Periodic check: resets the stream if the client made no progress since the last one. */
    void lookAtTime() {
        if (closed) {
            return;
        }
        boolean owed = outbox.isHolding() || isAwaited();
        long moved = outbox.moved() + inbox.moved();
        if (!owed) {
            mark = -1;
        } else if (mark != moved) {
            mark = moved;
        } else if (outbox.isHolding()) {
            LOG.debug("stream {} is reset: the client does not take its response", stream);
            connection.cancel(this, Http2Error.CANCEL, DisconnectReason.UNREAD);
        } else {
            late();
        }
    }

    /** Whether the exchange waits for request bytes and no response has begun. */
    private boolean isAwaited() {
        return upload.hasBegun() && phase == Phase.UNDECIDED && request.upgrade() == null && inbox.isAwaited();
    }

    @Override
    public void unsendable(IllegalArgumentException reason) {
        LOG.warn("trailers cannot be sent: {}", reason.getMessage());
        closed = true;
        outbox.discard();
        connection.reset(this, Http2Error.INTERNAL_ERROR);
    }

    // What the exchange tells.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void interim(ResponseMessage head) {
        if (phase == Phase.UNDECIDED && head.status() != SWITCHING_PROTOCOLS) {
            guarded(() -> output.response(this, head.status(), head.headers(), false, false));
        }
    }

    @Override
    public void head(ResponseMessage head, boolean end) {
        if (phase == Phase.UNDECIDED) {
            guarded(() -> {
                if (head.status() < OK) {
                    switchProtocol(head);
                } else {
                    finalHead(head, end);
                }
            });
        }
    }

    /** What cannot be written ends the exchange: half of it, or something else, must not leave in its place. */
    private void guarded(Runnable writing) {
        try {
            writing.run();
        } catch (IllegalArgumentException e) {
            LOG.warn("a response cannot be sent: {}", e.getMessage());
            abort();
        }
    }

    private void finalHead(ResponseMessage head, boolean end) {
        int status = head.status();
        boolean bodyless = headOnly || !head.mayHaveBody();
        String declared = head.headers().first("Content-Length");
        if (!bodyless && declared != null) {
            remaining = Long.parseLong(declared);
        }
        boolean over = bodyless || (end && remaining <= 0);
        output.response(this, status, head.headers(), status != NO_CONTENT, over);
        phase = over ? Phase.HEAD_ONLY : Phase.BODY;
        if (end) {
            end(NONE);
        }
    }

    /** RFC 8441, 5: what HTTP/1.1 says with 101 is here said with 200. */
    private void switchProtocol(ResponseMessage head) {
        if (head.status() != SWITCHING_PROTOCOLS || request.upgrade() == null) {
            throw new IllegalArgumentException(
                    "head: " + head.status() + " (expected: 200 to 599, or 101 when asked for)");
        }
        head.headers().removeAll("Sec-WebSocket-Accept");
        output.response(this, OK, head.headers(), false, false);
        phase = Phase.BODY;
        raw = true;
        loop().execute(() -> {
            upgraded = true;
            if (upload.hasBegun() && !closed) {
                passOn();
                endRaw();
            }
        });
    }

    @Override
    public void data(ByteBuf data) {
        int size = data.readableBytes();
        if (phase != Phase.BODY || size == 0) {
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
        outbox.add(data);
        full |= outbox.isFull();
        output.ready(this);
    }

    @Override
    public void end(HeaderBlock trailers) {
        switch (phase) {
            case ENDED, HALF -> {}
            case UNDECIDED -> abort();
            case HEAD_ONLY -> written();
            case BODY -> {
                if (remaining > 0) {
                    abort();
                } else {
                    if (raw) {
                        phase = Phase.HALF;
                    } else {
                        over();
                    }
                    outbox.end(trailers);
                    output.ready(this);
                }
            }
        }
    }

    /** The response was handed over; frees the request, since the client may read slowly. */
    private void over() {
        phase = Phase.ENDED;
        upload.shut();
        inbox.discard();
        request = request.withoutHead();
        held.answered();
    }

    @Override
    public boolean isWritable() {
        return !outbox.isFull();
    }

    @Override
    public void consumed(int bytes) {
        if (closed) {
            return;
        }
        int increment = inbox.giveBack(bytes);
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
        if (phase != Phase.ENDED) {
            over();
            closed = true;
            outbox.discard();
            connection.reset(this, ending == Http2Error.NO_ERROR ? Http2Error.INTERNAL_ERROR : ending);
        }
    }
}

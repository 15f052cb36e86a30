package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.http.WebSocketKey;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.http2.FieldSection;
import dev.sallyport.core.http2.ReceiveWindow;
import dev.sallyport.core.http2.SendingStream;
import dev.sallyport.core.http2.StreamSendQueue;
import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Error;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on an HTTP/2 connection. Both directions are independent: a response may end before its request does.
 * Confined to its loop.
 */
final class OriginHttp2Stream extends OriginStream implements SendingStream {

    private static final int MAX_INTERIM_HEADS = 64;

    private enum Receiving {
        HEAD,
        BODY,
        /** The message ended with the final head, and the listener knows; the origin has yet to end the stream. */
        NO_BODY,
        DONE
    }

    /** Whether the listener may send, and whether the connection keeps the stream among those that wait for credit. */
    private enum Credit {
        GRANTED,
        /** The listener has been told to wait, and the stream is in the queue. */
        AWAITED,
        /** The listener has been told to go on, and the stream is still in the queue. */
        GRANTED_IN_QUEUE
    }

    private final OriginHttp2Connection connection;
    private final @Nullable OriginTimeouts timeouts;
    private final DeadlineQueue.Entry headEntry = new DeadlineQueue.Entry(this::onHeadTimeout);
    private final DeadlineQueue.Entry sendEntry = new DeadlineQueue.Entry(this::checkSends);
    private @Nullable SendStallDetector sends;
    private final OriginHttp2RequestSender request;
    private final StreamSendQueue sendQueue = new StreamSendQueue();
    private final ReceiveWindow receiveWindow = new ReceiveWindow(OriginHttp2FrameHandler.STREAM_WINDOW);
    private int id;
    private StreamState state = StreamState.IDLE;
    private Credit credit = Credit.GRANTED;
    private Receiving receiving = Receiving.HEAD;
    private int interimHeads;
    private boolean trimmed;
    /** Any frame of the stream has arrived. */
    private boolean heard;

    private long remaining = ResponseMessage.UNKNOWN_LENGTH;

    OriginHttp2Stream(
            OriginHttp2Connection connection,
            UpstreamListener listener,
            boolean reused,
            @Nullable OriginTimeouts timeouts) {
        super(listener, reused);
        this.connection = connection;
        this.timeouts = timeouts;
        this.request = new OriginHttp2RequestSender(connection, this);
    }

    @Override
    public String protocol() {
        return "h2";
    }

    @Override
    public void head(RequestMessage head, boolean end) {
        if (over()) {
            return;
        }
        boolean upgrade = OriginHttp2RequestSender.upgrade(head) != null;
        if (upgrade && connection.awaitsSettings(() -> head(head, end))) {
            return;
        }
        if (upgrade && connection.canOpen() && !connection.takesProtocols()) {
            failIf("the origin speaks HTTP/2 alone, and offers no WebSocket over it (RFC 8441)");
        } else if (connection.canOpen()) {
            failIf(request.head(head, end));
        } else {
            failLater(failure(Kind.UPSTREAM_UNREACHABLE, "the connection takes no more streams", Repeat.UNPROCESSED));
        }
    }

    /** The stream is being opened. */
    void opened(int number, int sendWindow) {
        state = state.opens();
        id = number;
        sendQueue.window(sendWindow);
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public StreamSendQueue sendQueue() {
        return sendQueue;
    }

    /** The window of the response. */
    ReceiveWindow receiveWindow() {
        return receiveWindow;
    }

    boolean isRemoteEnded() {
        return state.isRemoteEnded();
    }

    /** The origin has ended its side; returns whether both sides have ended. */
    boolean remoteEnded() {
        state = state.remoteEnds();
        return state == StreamState.CLOSED;
    }

    /** Follows the body's progress and the end of the request into the transport. */
    @Override
    public ChannelPromise promise(boolean last) {
        SendStallDetector watch = watch();
        if (watch == null && !last) {
            return connection.channel().voidPromise();
        }
        ChannelPromise written = connection.channel().newPromise();
        if (watch != null) {
            watch.sent(written);
        }
        if (last) {
            written.addListener(this);
        }
        return written;
    }

    @Override
    public void drained() {
        creditGranted();
    }

    /** The queue or a window may have room again. */
    void creditGranted() {
        if (credit == Credit.AWAITED && sendQueue.isLow() && hasCredit()) {
            credit = Credit.GRANTED_IN_QUEUE;
            if (!over() && !request.isDone()) {
                listener().onWritable();
            }
        }
    }

    /** The connection has more credit; returns whether this stream no longer waits. */
    boolean leavesCreditQueue() {
        creditGranted();
        if (credit == Credit.AWAITED && !over()) {
            return false;
        }
        credit = Credit.GRANTED;
        return true;
    }

    private boolean hasCredit() {
        return sendQueue.hasCredit() && connection.output().window() > 0;
    }

    @Override
    public void written() {
        state = state.localEnds();
        connection.localEnded(this);
    }

    @Override
    public void unsendable(IllegalArgumentException reason) {
        failIf("request trailers: " + reason.getMessage());
    }

    /** Queues some of the body. */
    void enqueue(ByteBuf data) {
        sendQueue.add(data);
        awaitProgress();
        connection.ready(this);
    }

    /** Queues the end of the request. */
    void enqueueEnd(HeaderBlock trailers) {
        sendQueue.end(trailers);
        awaitProgress();
        connection.ready(this);
    }

    private void awaitProgress() {
        SendStallDetector watch = watch();
        if (watch != null) {
            watch.awaited();
        }
    }

    @Override
    @Nullable String send(ByteBuf data) {
        return request.data(data);
    }

    @Override
    public void end(HeaderBlock trailers) {
        if (!over()) {
            failIf(request.end(trailers));
            completeIfDone();
        }
    }

    @Override
    void giveUp() {
        give(Http2Error.CANCEL);
    }

    @Override
    void awaitHead() {
        if (!over() && receiving == Receiving.HEAD && timeouts != null) {
            connection.heads().set(headEntry, timeouts.head());
        }
    }

    @Override
    public boolean isWritable() {
        if (id == 0) {
            return connection.channel().isWritable();
        }
        boolean writable = !sendQueue.isFull() && hasCredit();
        if (!writable && !request.isDone()) {
            awaitProgress();
            if (credit == Credit.GRANTED) {
                connection.awaitsCredit(this);
            }
            credit = Credit.AWAITED;
        }
        return writable;
    }

    @Override
    public void consumed(int bytes) {
        if (!over()) {
            connection.consumed(this, bytes);
        }
    }

    @Override
    public void abort() {
        if (aborts()) {
            giveUp();
        }
    }

    @Override
    OriginHttp2Connection connection() {
        return connection;
    }

    /** Gives the exchange up: frees the stream, and resets it if it is open. */
    private void give(Http2Error error) {
        ends();
        stopWatching();
        if (id == 0) {
            connection.unopened();
        } else {
            connection.reset(this, error);
        }
    }

    // For the connection.

    void onHeaders(FieldSection fields, boolean end) {
        heard = true;
        if (over()) {
            return;
        }
        switch (receiving) {
            case HEAD -> onHead(fields, end);
            case BODY -> onTrailers(fields, end);
            case NO_BODY -> endIf(end);
            case DONE -> {}
        }
    }

    private void onHead(FieldSection fields, boolean end) {
        int status = OriginHttp2Rules.status(fields);
        String fault = OriginHttp2Rules.findFault(fields, status, end);
        long length = fault == null ? OriginHttp2Rules.bodyLength(fields.fields(), status, request.toHead(), end) : 0;
        if (fault != null || length == OriginHttp2Rules.BAD_LENGTH) {
            malformed("response head: " + (fault == null ? "Content-Length is not the length of the message" : fault));
        } else if (status < 200) {
            onInterim(fields, status);
        } else if (status < 300 && !request.key().isEmpty()) {
            onAgreement(fields.fields(), end);
        } else {
            stopWatching();
            boolean bodiless = end || MessageFraming.isBodiless(status, request.toHead());
            receiving = bodiless ? Receiving.NO_BODY : Receiving.BODY;
            remaining = length;
            ResponseMessage head = new ResponseMessage(status, "", fields.fields(), length);
            if (trimmed || fields.trimmed()) {
                head.tolerate("field_white_space");
            }
            listener().onHead(OriginLeniency.applyTo(head), bodiless);
            endIf(end);
        }
    }

    /** Reports the 2xx as the 101 that HTTP/1.1 would have sent. */
    private void onAgreement(HeaderBlock headers, boolean end) {
        stopWatching();
        receiving = Receiving.BODY;
        headers.removeAll("content-length");
        headers.append("Upgrade", UpgradeTokens.WEBSOCKET);
        headers.append("Connection", "Upgrade");
        headers.replace(WebSocketKey.ACCEPT, List.of(WebSocketKey.acceptance(request.key())));
        listener().onHead(new ResponseMessage(101, "Switching Protocols", headers, 0), false);
        if (end && !over()) {
            endIf(true);
            listener().onEnd(new HeaderBlock(1));
        }
    }

    private void onInterim(FieldSection fields, int status) {
        trimmed |= fields.trimmed();
        if (++interimHeads > MAX_INTERIM_HEADS) {
            malformed("response: more than " + MAX_INTERIM_HEADS + " interim heads");
        } else {
            listener().onInterim(new ResponseMessage(status, "", fields.fields(), 0));
        }
    }

    private void onTrailers(FieldSection fields, boolean end) {
        if (!fields.malformed().isEmpty()) {
            malformed("response trailers: " + fields.malformed());
        } else if (fields.tooLarge()) {
            malformed("response trailers: too long");
        } else if (!end) {
            malformed("response body: field lines in the middle of it");
        } else if (fields.hasPseudo()) {
            malformed("response trailers: a pseudo-header field");
        } else {
            endBody(fields.fields());
        }
    }

    private void endBody(HeaderBlock trailers) {
        if (remaining > 0) {
            malformed("response body: shorter than its Content-Length");
        } else {
            endIf(true);
            listener().onEnd(trailers);
        }
    }

    /** Takes some of the body; takes ownership of the buffer. */
    void onData(ByteBuf data) {
        heard = true;
        int length = data.readableBytes();
        if (over() || receiving == Receiving.DONE) {
            data.release();
            connection.consumed(this, length);
        } else if (receiving != Receiving.BODY) {
            data.release();
            malformed(receiving == Receiving.HEAD ? "response: data before a head" : "response: data after its end");
        } else if (remaining >= 0 && length > remaining) {
            data.release();
            malformed("response body: longer than its Content-Length");
        } else {
            if (remaining >= 0) {
                remaining -= length;
            }
            listener().onData(data);
        }
    }

    /** The last DATA frame is complete. */
    void onDataEnd() {
        heard = true;
        if (over() || receiving == Receiving.DONE) {
            return;
        }
        switch (receiving) {
            case HEAD -> malformed("response: data before a head");
            case BODY -> endBody(new HeaderBlock(1));
            case NO_BODY -> endIf(true);
            case DONE -> {}
        }
    }

    /** The origin has ended its side; the stream is complete when the request is, too. */
    private void endIf(boolean end) {
        if (end && !over()) {
            receiving = Receiving.DONE;
            completeIfDone();
        }
    }

    /** Both sides are complete; the end of the request may still wait for credit, within a time limit. */
    private void completeIfDone() {
        if (!over() && receiving == Receiving.DONE && request.isDone()) {
            ends();
            OriginTimeouts limits = timeouts;
            if (limits != null && !state.isLocalEnded()) {
                connection.sends().set(sendEntry, limits.body());
            }
        }
    }

    /** Nothing more is sent or received. */
    void onClosed() {
        stopWatching();
        sendQueue.discard();
    }

    void onReset(long code) {
        heard = true;
        Http2Error error = Http2Error.valueOf(code);
        if (over() || receiving == Receiving.DONE || (receiving == Receiving.NO_BODY && error == Http2Error.NO_ERROR)) {
            ends(); // RFC 9113, 8.1: the rest of the request is not wanted
        } else if (error == Http2Error.REFUSED_STREAM) {
            fail(Kind.UPSTREAM_UNREACHABLE, "the stream was refused", Repeat.UNPROCESSED);
        } else if (error == Http2Error.HTTP_1_1_REQUIRED) {
            connection.requireHttp1();
            fail(Kind.UPSTREAM_UNREACHABLE, "HTTP/1.1 is required", Repeat.UNPROCESSED);
        } else {
            fail(
                    Kind.UPSTREAM_PROTOCOL_ERROR,
                    "the stream was reset: " + OriginHttp2Rules.name(error, code),
                    Repeat.NEVER);
        }
    }

    void onGoAway(int lastId, @Nullable Http2Error error) {
        if (id > lastId && receiving != Receiving.DONE) {
            fail(
                    Kind.UPSTREAM_UNREACHABLE,
                    "the connection was shut down before the request was looked at",
                    Repeat.UNPROCESSED);
        }
    }

    /** The message is malformed; the connection resets the stream. */
    void onMalformed() {
        failUnlessReceived("response: malformed");
    }

    void onConnectionFault(Http2Error error) {
        failUnlessReceived("HTTP/2 was broken: " + error);
    }

    private void failUnlessReceived(String why) {
        if (receiving == Receiving.DONE) {
            ends();
        } else {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, why, Repeat.NEVER);
        }
    }

    /** The stream or its connection has closed, or failed and will close. */
    void onBroken(@Nullable Throwable cause) {
        if (receiving == Receiving.DONE) {
            ends();
        } else if (receiving != Receiving.HEAD) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response body: broke off", Repeat.NEVER);
        } else if (lacksCertificate()) {
            fail(Kind.UPSTREAM_WANTS_CLIENT_CERTIFICATE, reason(cause), Repeat.NEVER);
        } else if (cause != null && isTls(cause)) {
            fail(Kind.UPSTREAM_TLS_ERROR, TlsFailure.describe(cause), unanswered());
        } else {
            fail(Kind.UPSTREAM_UNREACHABLE, "closed before a response", unanswered());
        }
    }

    /** Whether a request may be repeated whose connection ends without a response. */
    private Repeat unanswered() {
        if (id == 0) {
            return Repeat.UNPROCESSED;
        }
        return reused() && !heard ? Repeat.STALE_CONNECTION : Repeat.NEVER;
    }

    /** Watches whether the origin reads the request; null once the response has begun. */
    private @Nullable SendStallDetector watch() {
        OriginTimeouts limits = timeouts;
        if (limits == null || receiving != Receiving.HEAD || over()) {
            return null;
        }
        SendStallDetector watch = sends;
        if (watch == null) {
            watch = new SendStallDetector(
                    limits.body(),
                    sendQueue::window,
                    this::isHeldUp,
                    limit -> connection.sends().set(sendEntry, limit),
                    this::onStalled);
            sends = watch;
        }
        return watch;
    }

    /** Whether the request waits for credit or for the transport. */
    private boolean isHeldUp() {
        return !state.isLocalEnded() && (sendQueue.isHolding() || (!request.isDone() && !hasCredit()));
    }

    private void checkSends() {
        SendStallDetector watch = sends;
        if (over()) {
            connection.suspect();
            connection.reset(this, Http2Error.CANCEL);
        } else if (watch != null) {
            watch.check();
        }
    }

    private void onStalled() {
        connection.suspect();
        failWithReset(Http2Error.CANCEL, Kind.UPSTREAM_STALLED, "nothing of the request body was taken in time");
    }

    @Override
    void onFailed() {
        stopWatching();
    }

    private void stopWatching() {
        connection.heads().clear(headEntry);
        connection.sends().clear(sendEntry);
    }

    private void onHeadTimeout() {
        if (!over()) {
            connection.suspect();
            failWithReset(Http2Error.CANCEL, Kind.UPSTREAM_TIMEOUT, "no response head in time");
        }
    }

    private void malformed(String why) {
        failWithReset(Http2Error.PROTOCOL_ERROR, Kind.UPSTREAM_PROTOCOL_ERROR, why);
    }

    private void failWithReset(Http2Error error, Kind kind, String why) {
        give(error);
        listener().onFailure(failure(kind, why, Repeat.NEVER));
    }
}

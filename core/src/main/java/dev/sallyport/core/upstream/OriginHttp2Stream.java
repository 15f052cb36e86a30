package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Error;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on an HTTP/2 connection. Both directions are independent: a response may end before its request does.
 * Confined to its loop.
 */
final class OriginHttp2Stream implements UpstreamStream, SendingStream, ChannelFutureListener {

    private static final int MAX_INTERIM_HEADS = 64;

    private enum Receiving {
        HEAD,
        BODY,
        /** The final head was the whole message, and has been told as such; the origin has yet to say so. */
        NO_BODY,
        DONE
    }

    private final OriginHttp2Connection connection;
    private UpstreamListener listener;
    private final boolean reused;
    private final @Nullable OriginTimeouts patience;
    private final DeadlineQueue.Entry headEntry = new DeadlineQueue.Entry(this::onHeadTimeout);
    private final DeadlineQueue.Entry sendEntry = new DeadlineQueue.Entry(this::checkSends);
    private @Nullable SendStallDetector sends;
    private final OriginHttp2RequestSender request;
    private final StreamSendQueue outbox = new StreamSendQueue();
    private final ReceiveWindow inbox = new ReceiveWindow(OriginHttp2FrameHandler.STREAM_WINDOW);
    private int id;
    private boolean localEnded;
    private boolean remoteEnded;
    /** The listener has been told that nothing more is taken, and not yet that it may go on. */
    private boolean refused;
    /** In the connection's queue of streams that wait for credit. */
    private boolean queuedForCredit;

    private Receiving receiving = Receiving.HEAD;
    private int interimHeads;
    private boolean heard;
    private long remaining = ResponseMessage.UNKNOWN_LENGTH;
    /** Failed, aborted or complete: whatever is called or comes now has no effect. */
    private boolean over;

    private boolean aborted;

    OriginHttp2Stream(
            OriginHttp2Connection connection,
            UpstreamListener listener,
            boolean reused,
            @Nullable OriginTimeouts patience) {
        this.connection = connection;
        this.listener = listener;
        this.reused = reused;
        this.patience = patience;
        this.request = new OriginHttp2RequestSender(connection, this);
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public String protocol() {
        return "h2";
    }

    @Override
    public boolean reused() {
        return reused;
    }

    @Override
    public void listener(UpstreamListener next) {
        listener = next;
    }

    @Override
    public void head(RequestMessage head, boolean end) {
        if (over) {
            return;
        }
        boolean upgrade = OriginHttp2RequestSender.upgrade(head) != null;
        if (upgrade && connection.awaitsSettings(() -> head(head, end))) {
            return;
        }
        if (upgrade && connection.canOpen() && !connection.takesProtocols()) {
            failLater(failure(
                    Kind.UPSTREAM_PROTOCOL_ERROR,
                    "the origin speaks HTTP/2 alone, and offers no WebSocket over it (RFC 8441)",
                    Repeat.NEVER));
        } else if (connection.canOpen()) {
            failIf(request.head(head, end));
        } else {
            failLater(failure(Kind.UPSTREAM_UNREACHABLE, "the connection takes no more streams", Repeat.UNPROCESSED));
        }
    }

    /** The stream is being opened. */
    void opened(int number, int sendWindow) {
        id = number;
        outbox.window(sendWindow);
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public StreamSendQueue outbox() {
        return outbox;
    }

    /** The window of the response. */
    ReceiveWindow inbox() {
        return inbox;
    }

    boolean isLocalEnded() {
        return localEnded;
    }

    boolean isRemoteEnded() {
        return remoteEnded;
    }

    void remoteEnded() {
        remoteEnded = true;
    }

    /** The body's progress and the end of the request are followed into the transport. */
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
        if (refused && outbox.isLow() && hasCredit()) {
            refused = false;
            if (!over && !request.isDone()) {
                listener.onWritable();
            }
        }
    }

    /** The connection has more credit; returns whether this stream no longer waits. */
    boolean leavesCreditQueue() {
        creditGranted();
        queuedForCredit = refused && !over;
        return !queuedForCredit;
    }

    private boolean hasCredit() {
        return outbox.hasCredit() && connection.output().window() > 0;
    }

    @Override
    public void written() {
        localEnded = true;
        connection.localEnded(this);
    }

    @Override
    public void unsendable(IllegalArgumentException reason) {
        failIf("request trailers: " + reason.getMessage());
    }

    /** Queues some of the body. */
    void enqueue(ByteBuf data) {
        outbox.add(data);
        awaitProgress();
        connection.ready(this);
    }

    /** Queues the end of the request. */
    void enqueueEnd(HeaderBlock trailers) {
        outbox.end(trailers);
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
    public void data(ByteBuf data) {
        if (over || !data.isReadable()) {
            data.release();
        } else {
            failIf(request.data(data));
        }
    }

    @Override
    public void end(HeaderBlock trailers) {
        if (!over) {
            failIf(request.end(trailers));
            completeIfDone();
        }
    }

    /** Fails because of what the caller does, who is told when it has returned. */
    private void failIf(@Nullable String fault) {
        if (fault != null) {
            failLater(failure(Kind.UPSTREAM_PROTOCOL_ERROR, fault, Repeat.NEVER));
        }
    }

    private void failLater(UpstreamFailure failure) {
        give(Http2Error.CANCEL);
        connection.channel().eventLoop().execute(() -> {
            if (!aborted) {
                listener.onFailure(failure);
            }
        });
    }

    /** The transport has taken the last frame of the request: from now on the response must come in time. */
    @Override
    public void operationComplete(ChannelFuture lastWrite) {
        awaitHead();
    }

    void awaitHead() {
        if (!over && receiving == Receiving.HEAD && patience != null) {
            connection.heads().set(headEntry, patience.head());
        }
    }

    @Override
    public boolean isWritable() {
        if (id == 0) {
            return connection.channel().isWritable();
        }
        boolean writable = !outbox.isFull() && hasCredit();
        if (!writable && !request.isDone()) {
            awaitProgress();
            refused = true;
            if (!queuedForCredit) {
                queuedForCredit = true;
                connection.awaitsCredit(this);
            }
        }
        return writable;
    }

    @Override
    public void consumed(int bytes) {
        if (!over) {
            connection.consumed(this, bytes);
        }
    }

    @Override
    public void abort() {
        aborted = true;
        if (!over) {
            give(Http2Error.CANCEL);
        }
    }

    /** Nothing more of this exchange: frees the stream, with a reset where it is open. */
    private void give(Http2Error error) {
        over = true;
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
        if (over) {
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
            listener.onHead(new ResponseMessage(status, "", fields.fields(), length), bodiless);
            endIf(end);
        }
    }

    /** Reports the 2xx as the 101 that HTTP/1.1 would have sent. */
    private void onAgreement(HeaderBlock headers, boolean end) {
        stopWatching();
        receiving = Receiving.BODY;
        headers.removeAll("content-length");
        headers.append("Upgrade", "websocket");
        headers.append("Connection", "Upgrade");
        headers.replace(WebSocketKey.ACCEPT, List.of(WebSocketKey.acceptance(request.key())));
        listener.onHead(new ResponseMessage(101, "Switching Protocols", headers, 0), false);
        if (end && !over) {
            endIf(true);
            listener.onEnd(new HeaderBlock(1));
        }
    }

    private void onInterim(FieldSection fields, int status) {
        if (++interimHeads > MAX_INTERIM_HEADS) {
            malformed("response: more than " + MAX_INTERIM_HEADS + " interim heads");
        } else {
            listener.onInterim(new ResponseMessage(status, "", fields.fields(), 0));
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
        } else if (remaining > 0) {
            malformed("response body: shorter than its Content-Length");
        } else {
            endIf(true);
            listener.onEnd(fields.fields());
        }
    }

    /** Takes some of the body; takes ownership of the buffer. */
    void onData(ByteBuf data) {
        heard = true;
        int length = data.readableBytes();
        if (over || receiving == Receiving.DONE) {
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
            listener.onData(data);
        }
    }

    /** The last DATA frame is complete. */
    void onDataEnd() {
        heard = true;
        if (over || receiving == Receiving.DONE) {
            return;
        }
        switch (receiving) {
            case HEAD -> malformed("response: data before a head");
            case BODY -> {
                if (remaining > 0) {
                    malformed("response body: shorter than its Content-Length");
                } else {
                    endIf(true);
                    listener.onEnd(new HeaderBlock(1));
                }
            }
            case NO_BODY -> endIf(true);
            case DONE -> {}
        }
    }

    /** The origin has sent all; whether the stream is over depends on the request. */
    private void endIf(boolean end) {
        if (end && !over) {
            receiving = Receiving.DONE;
            completeIfDone();
        }
    }

    /** Both sides are complete; the end of the request may still wait for credit, within a limit. */
    private void completeIfDone() {
        if (!over && receiving == Receiving.DONE && request.isDone()) {
            over = true;
            OriginTimeouts limits = patience;
            if (limits != null && !localEnded) {
                connection.sends().set(sendEntry, limits.body());
            }
        }
    }

    /** Nothing more is to be sent or to come. */
    void onClosed() {
        stopWatching();
        outbox.discard();
    }

    void onReset(long code) {
        heard = true;
        Http2Error error = Http2Error.valueOf(code);
        if (over || receiving == Receiving.DONE || (receiving == Receiving.NO_BODY && error == Http2Error.NO_ERROR)) {
            over = true; // RFC 9113, 8.1: the rest of the request is not wanted
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

    /** What came is no HTTP message; the connection resets the stream. */
    void onMalformed() {
        if (receiving == Receiving.DONE) {
            over = true;
        } else {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response: malformed", Repeat.NEVER);
        }
    }

    void onConnectionFault(Http2Error error) {
        if (receiving == Receiving.DONE) {
            over = true;
        } else {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "HTTP/2 was broken: " + error, Repeat.NEVER);
        }
    }

    /** The stream or its connection has closed, or failed and will close. */
    void onBroken(@Nullable Throwable cause) {
        if (receiving == Receiving.DONE) {
            over = true;
        } else if (receiving != Receiving.HEAD) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response body: broke off", Repeat.NEVER);
        } else if (cause != null && (cause instanceof SSLException || cause.getCause() instanceof SSLException)) {
            fail(Kind.UPSTREAM_TLS_ERROR, TlsFailure.describe(cause), unanswered());
        } else {
            fail(Kind.UPSTREAM_UNREACHABLE, "closed before a response", unanswered());
        }
    }

    /** What a connection that ends without anything of a response says about the request. */
    private Repeat unanswered() {
        if (id == 0) {
            return Repeat.UNPROCESSED;
        }
        return reused && !heard ? Repeat.STALE_CONNECTION : Repeat.NEVER;
    }

    /** Watches whether the origin takes the request, unless its head is there. */
    private @Nullable SendStallDetector watch() {
        OriginTimeouts limits = patience;
        if (limits == null || receiving != Receiving.HEAD || over) {
            return null;
        }
        SendStallDetector watch = sends;
        if (watch == null) {
            watch = new SendStallDetector(
                    limits.body(),
                    outbox::window,
                    this::isHeldUp,
                    limit -> connection.sends().set(sendEntry, limit),
                    this::onStalled);
            sends = watch;
        }
        return watch;
    }

    /** Whether the request waits for credit, or for the transport. */
    private boolean isHeldUp() {
        return !localEnded && (outbox.isHolding() || (!request.isDone() && !hasCredit()));
    }

    private void checkSends() {
        SendStallDetector watch = sends;
        if (over) {
            connection.suspect();
            connection.reset(this, Http2Error.CANCEL);
        } else if (watch != null) {
            watch.check();
        }
    }

    private void onStalled() {
        connection.suspect();
        give(Http2Error.CANCEL);
        listener.onFailure(
                failure(Kind.UPSTREAM_STALLED, "nothing of the request body was taken in time", Repeat.NEVER));
    }

    private void stopWatching() {
        connection.heads().clear(headEntry);
        connection.sends().clear(sendEntry);
    }

    private void onHeadTimeout() {
        if (!over) {
            connection.suspect();
            give(Http2Error.CANCEL);
            listener.onFailure(failure(Kind.UPSTREAM_TIMEOUT, "no response head in time", Repeat.NEVER));
        }
    }

    private void malformed(String why) {
        give(Http2Error.PROTOCOL_ERROR);
        listener.onFailure(failure(Kind.UPSTREAM_PROTOCOL_ERROR, why, Repeat.NEVER));
    }

    /** The stream is gone, or its connection sees to that. */
    private void fail(Kind kind, String why, Repeat repeat) {
        if (!over) {
            over = true;
            stopWatching();
            listener.onFailure(failure(kind, why, repeat));
        }
    }

    private UpstreamFailure failure(Kind kind, String why, Repeat repeat) {
        return new UpstreamFailure(kind, connection.destination() + ": " + why, repeat);
    }
}

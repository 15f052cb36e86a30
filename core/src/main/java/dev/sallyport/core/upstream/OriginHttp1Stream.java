package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http1.AmbiguousFramingException;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on an HTTP/1.1 connection. A final head may come while the request is still being sent: it is passed on,
 * and the connection is reused only when the request has been completed, too. After a 101 both directions carry bytes
 * unchanged. Confined to its loop.
 */
final class OriginHttp1Stream implements UpstreamStream, ChannelFutureListener {

    /** How many bytes of a body the listener may hold. */
    static final int WINDOW = 64 * 1024;

    private static final int MAX_INTERIM_HEADS = 64;

    private enum Receiving {
        HEAD,
        BODY,
        /** The message ended with the final head; the decoder has yet to report its end. */
        NO_BODY,
        RAW,
        DONE
    }

    private final OriginHttp1Connection connection;
    private UpstreamListener listener;
    private final boolean reused;
    private final OriginHttp1RequestSender request;
    private Receiving receiving = Receiving.HEAD;
    private int interimHeads;
    private boolean interimEnds;
    /** After a 101: both halves carry bytes, and each ends by itself. */
    private boolean switched;

    private boolean persistent;
    private boolean untilClose;
    private int unconsumed;
    /** Failed, aborted or complete: further calls and events have no effect. */
    private boolean over;

    private boolean aborted;

    OriginHttp1Stream(OriginHttp1Connection connection, UpstreamListener listener, boolean reused) {
        this.connection = connection;
        this.listener = listener;
        this.reused = reused;
        this.request = new OriginHttp1RequestSender(connection, this);
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    @Override
    public String protocol() {
        return "http/1.1";
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
        if (!over) {
            failIf(request.head(head, end));
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
        if (over) {
            return;
        }
        failIf(request.end(trailers));
        if (!over && receiving == Receiving.DONE && request.isDone()) {
            over = true;
            if (switched) {
                connection.closeAfterWrites();
            } else {
                connection.complete(persistent);
            }
        }
    }

    /** Fails because of a fault of the caller, who is notified after its call has returned. */
    private void failIf(@Nullable String fault) {
        if (fault == null) {
            return;
        }
        over = true;
        connection.discard();
        connection.channel().eventLoop().execute(() -> {
            if (!aborted) {
                listener.onFailure(failure(Kind.UPSTREAM_PROTOCOL_ERROR, fault, Repeat.NEVER));
            }
        });
    }

    /** The transport has taken the last byte of the request: the response must come in time from now on. */
    @Override
    public void operationComplete(ChannelFuture lastWrite) {
        awaitHead();
    }

    private void awaitHead() {
        if (!over && receiving == Receiving.HEAD) {
            connection.awaitHead();
        }
    }

    @Override
    public boolean isWritable() {
        return connection.channel().isWritable();
    }

    @Override
    public void consumed(int bytes) {
        if (!over) {
            boolean paused = !wantsMore();
            unconsumed -= bytes;
            if (paused && wantsMore()) {
                connection.channel().read();
            }
        }
    }

    @Override
    public void abort() {
        aborted = true;
        if (!over) {
            over = true;
            if (switched) {
                connection.reset();
            } else {
                connection.discard();
            }
        }
    }

    // For the connection.

    boolean wantsMore() {
        return unconsumed < WINDOW;
    }

    void onWritable() {
        if (receiving != Receiving.DONE || !request.isDone()) {
            listener.onWritable();
        }
    }

    /** The origin takes no more; its response may still come, and must come in time. */
    void onOutputClosed() {
        awaitHead();
    }

    void onResponse(HttpResponse response) {
        if (over) {
            return;
        }
        Throwable cause = response.decoderResult().cause();
        if (cause instanceof PrematureChannelClosureException) {
            onBroken(null);
            return;
        }
        if (receiving == Receiving.DONE) {
            onUnexpectedBytes(); // the request is still being sent, but has been answered
            return;
        }
        String fault = cause != null ? OriginHttp1Rules.describe(cause) : OriginHttp1Rules.findFault(response);
        if (fault == null) {
            try {
                onHead(response);
                return;
            } catch (AmbiguousFramingException e) {
                fault = e.fault();
            }
        }
        fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response head: " + fault);
    }

    private void onHead(HttpResponse response) throws AmbiguousFramingException {
        long length = MessageFraming.ofResponse(
                (HeaderBlock) response.headers(), connection.decoder().isBodiless(response));
        int code = response.status().code();
        if (code == 101) {
            onSwitch(response);
        } else if (code < 200) {
            onInterim(response);
        } else {
            onFinal(response, length);
        }
    }

    private void onInterim(HttpResponse response) {
        interimEnds = true;
        if (++interimHeads > MAX_INTERIM_HEADS) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response: more than " + MAX_INTERIM_HEADS + " interim heads");
        } else {
            listener.onInterim(message(response, 0));
        }
    }

    private void onSwitch(HttpResponse response) {
        if (!request.allowsSwitch()) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response head: 101 to a request without an upgrade");
            return;
        }
        connection.stopAwaitingHead();
        receiving = Receiving.RAW;
        switched = true;
        request.becomeRaw();
        listener.onHead(message(response, ResponseMessage.UNKNOWN_LENGTH), false);
    }

    private void onFinal(HttpResponse response, long length) {
        connection.stopAwaitingHead();
        untilClose = length == MessageFraming.UNTIL_CLOSE;
        persistent = !untilClose && OriginHttp1Rules.isPersistent(response);
        receiving = length == 0 ? Receiving.NO_BODY : Receiving.BODY;
        listener.onHead(message(response, Math.max(length, ResponseMessage.UNKNOWN_LENGTH)), length == 0);
    }

    private static ResponseMessage message(HttpResponse response, long length) {
        return new ResponseMessage(
                response.status().code(), response.status().reasonPhrase(), (HeaderBlock) response.headers(), length);
    }

    void onData(ByteBuf data) {
        int length = data.readableBytes();
        if (over || length == 0) {
            data.release();
            return;
        }
        unconsumed += length;
        listener.onData(data);
    }

    void onLast(LastHttpContent last) {
        String fault = over ? null : findFault(last);
        if (over || interimEnds || fault != null) {
            interimEnds = false;
            last.release();
            if (fault != null) {
                fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response body: " + fault);
            }
            return;
        }
        if (receiving == Receiving.RAW) {
            last.release();
            connection.becomeRaw();
            return;
        }
        onData(last.content());
        if (!over) {
            completeResponse(last.trailingHeaders() instanceof HeaderBlock block ? block : new HeaderBlock(1));
        }
    }

    private @Nullable String findFault(LastHttpContent last) {
        Throwable cause = last.decoderResult().cause();
        if (cause != null) {
            return OriginHttp1Rules.describe(cause);
        }
        if (untilClose && !connection.endIsGenuine()) {
            return "ended without the close_notify that would prove it complete";
        }
        return last.trailingHeaders() instanceof HeaderBlock block ? MessageFaults.find(block) : null;
    }

    private void completeResponse(HeaderBlock trailers) {
        boolean told = receiving == Receiving.NO_BODY;
        receiving = Receiving.DONE;
        if (request.isDone()) {
            over = true;
            connection.complete(persistent);
        } else if (!persistent) {
            over = true;
            connection.discard();
        }
        if (!told) {
            listener.onEnd(trailers);
        }
    }

    void onUnexpectedBytes() {
        if (receiving == Receiving.DONE) {
            abort();
        } else {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "bytes before the request", unanswered());
        }
    }

    /** The origin has closed its half; it may still read. */
    void onInputEnded() {
        if (over || receiving != Receiving.RAW) {
            return;
        }
        receiving = Receiving.DONE;
        if (request.isDone()) {
            over = true;
            connection.closeAfterWrites();
        }
        listener.onEnd(new HeaderBlock(1));
    }

    void onHeadTimeout() {
        fail(Kind.UPSTREAM_TIMEOUT, "no response head in time");
    }

    void onSendTimeout() {
        fail(Kind.UPSTREAM_STALLED, "nothing of the request body was taken in time");
    }

    /** The connection has closed, or failed and will close. */
    void onBroken(@Nullable Throwable cause) {
        boolean answered = request.isBegun() && connection.decoder().sawBytes();
        if (!over && receiving == Receiving.RAW && cause == null && connection.endIsGenuine()) {
            over = true;
            connection.discard();
            listener.onEnd(new HeaderBlock(1));
        } else if (receiving == Receiving.RAW) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "after the switch of protocols: broke off", Repeat.NEVER);
        } else if (switched && !over) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "after the switch of protocols: takes no more", Repeat.NEVER);
        } else if (receiving == Receiving.DONE) {
            abort();
        } else if (receiving != Receiving.HEAD) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response body: broke off");
        } else if (answered) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response head: broke off");
        } else if (cause != null && isTls(cause)) {
            fail(Kind.UPSTREAM_TLS_ERROR, TlsFailure.describe(cause), unanswered());
        } else {
            fail(Kind.UPSTREAM_UNREACHABLE, "closed before a response", unanswered());
        }
    }

    private static boolean isTls(Throwable cause) {
        return cause instanceof SSLException || cause.getCause() instanceof SSLException;
    }

    /** Whether a request may be repeated whose connection ends without a byte of a response. */
    private Repeat unanswered() {
        if (!request.isBegun()) {
            return Repeat.UNPROCESSED;
        }
        return reused ? Repeat.STALE_CONNECTION : Repeat.NEVER;
    }

    private void fail(Kind kind, String why) {
        fail(kind, why, Repeat.NEVER);
    }

    private void fail(Kind kind, String why, Repeat repeat) {
        if (!over) {
            over = true;
            connection.discard();
            listener.onFailure(failure(kind, why, repeat));
        }
    }

    private UpstreamFailure failure(Kind kind, String why, Repeat repeat) {
        return new UpstreamFailure(kind, connection.destination() + ": " + why, repeat);
    }
}

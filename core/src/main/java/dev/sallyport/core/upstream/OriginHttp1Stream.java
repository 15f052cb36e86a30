package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http1.AmbiguousFramingException;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on an HTTP/1.1 connection. A final head may come while the request is still being sent: it is passed on,
 * and the connection is reused only when the request has been completed, too. After a 101 both directions carry bytes
 * unchanged. Confined to its loop.
 */
final class OriginHttp1Stream extends OriginStream {

    /** How many bytes of a body the listener may hold. */
    static final int WINDOW = 64 * 1024;

    private static final int MAX_INTERIM_HEADS = 64;

    private enum Receiving {
        HEAD,
        BODY,
        /** A body that ends with the connection (RFC 9112, 6.3). */
        BODY_UNTIL_CLOSE,
        /** The message ended with the final head; the decoder has yet to report its end. */
        NO_BODY,
        /** Another protocol, after a 101: each half ends by itself. */
        UPGRADED,
        /** The origin has ended its half of another protocol. */
        HALF_ENDED,
        DONE
    }

    private final OriginHttp1Connection connection;
    private final OriginHttp1RequestSender request;
    private Receiving receiving = Receiving.HEAD;
    private int interimHeads;
    private int toldInHead;
    private boolean interimEnds;
    private boolean persistent;
    private int unconsumed;

    OriginHttp1Stream(OriginHttp1Connection connection, UpstreamListener listener, boolean reused) {
        super(listener, reused);
        this.connection = connection;
        this.request = new OriginHttp1RequestSender(connection, this);
    }

    @Override
    public String protocol() {
        return "http/1.1";
    }

    @Override
    public void head(RequestMessage head, boolean end) {
        if (!over()) {
            failIf(request.head(head, end));
        }
    }

    @Override
    @Nullable String send(ByteBuf data) {
        return request.data(data);
    }

    @Override
    public void end(HeaderBlock trailers) {
        if (over()) {
            return;
        }
        failIf(request.end(trailers));
        if (!over() && hasReceivedAll() && request.isDone()) {
            ends();
            if (isUpgraded()) {
                connection.closeAfterWrites();
            } else {
                connection.complete(persistent);
            }
        }
    }

    @Override
    void giveUp() {
        ends();
        connection.discard();
    }

    @Override
    void awaitHead() {
        if (!over() && receiving == Receiving.HEAD) {
            connection.awaitHead();
        }
    }

    @Override
    public boolean isWritable() {
        return connection.channel().isWritable();
    }

    @Override
    public void consumed(int bytes) {
        if (!over()) {
            boolean paused = !wantsMore();
            unconsumed -= bytes;
            if (paused && wantsMore()) {
                connection.channel().read();
            }
        }
    }

    @Override
    public void abort() {
        if (!aborts()) {
            return;
        }
        if (isUpgraded()) {
            connection.reset();
        } else {
            connection.discard();
        }
    }

    @Override
    OriginHttp1Connection connection() {
        return connection;
    }

    private boolean isUpgraded() {
        return receiving == Receiving.UPGRADED || receiving == Receiving.HALF_ENDED;
    }

    private boolean hasReceivedAll() {
        return receiving == Receiving.DONE || receiving == Receiving.HALF_ENDED;
    }

    // For the connection.

    boolean wantsMore() {
        return unconsumed < WINDOW;
    }

    void onWritable() {
        if (!hasReceivedAll() || !request.isDone()) {
            listener().onWritable();
        }
    }

    /** The origin takes no more; its response may still come, and must come in time. */
    void onOutputClosed() {
        awaitHead();
    }

    void onResponse(HttpResponse response) {
        if (over()) {
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
        Parent forwarding = connection.forwarding();
        if (code == 407 && forwarding != null) {
            String does = forwarding.login().given() ? "does not take these credentials" : "wants credentials";
            fail(Kind.UPSTREAM_PROXY_FAILED, "parent proxy " + forwarding + ": answered 407: it " + does);
        } else if (code == 101) {
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
            listener().onInterim(message(response, 0));
        }
    }

    private void onSwitch(HttpResponse response) {
        if (!request.allowsSwitch()) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response head: 101 to a request without an upgrade");
            return;
        }
        connection.stopAwaitingHead();
        receiving = Receiving.UPGRADED;
        request.becomeRaw();
        listener().onHead(message(response, ResponseMessage.UNKNOWN_LENGTH), false);
    }

    private void onFinal(HttpResponse response, long length) {
        connection.stopAwaitingHead();
        boolean untilClose = length == MessageFraming.UNTIL_CLOSE;
        persistent = !untilClose && OriginHttp1Rules.isPersistent(response);
        if (length == 0) {
            receiving = Receiving.NO_BODY;
        } else {
            receiving = untilClose ? Receiving.BODY_UNTIL_CLOSE : Receiving.BODY;
        }
        ResponseMessage head =
                OriginLeniency.applyTo(message(response, Math.max(length, ResponseMessage.UNKNOWN_LENGTH)));
        persistent &= head.tolerated().isEmpty();
        listener().onHead(head, length == 0);
    }

    private ResponseMessage message(HttpResponse response, long length) {
        ResponseMessage head = new ResponseMessage(
                response.status().code(), response.status().reasonPhrase(), (HeaderBlock) response.headers(), length);
        List<String> tolerated = connection.decoder().tolerated();
        toldInHead = tolerated.size();
        for (int i = 0; i < toldInHead; i++) {
            head.tolerate(tolerated.get(i));
        }
        return head;
    }

    void onData(ByteBuf data) {
        int length = data.readableBytes();
        if (over() || length == 0) {
            data.release();
            return;
        }
        unconsumed += length;
        listener().onData(data);
    }

    void onLast(LastHttpContent last) {
        String fault = over() ? null : findFault(last);
        if (over() || interimEnds || fault != null) {
            interimEnds = false;
            last.release();
            if (fault != null) {
                fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response body: " + fault);
            }
            return;
        }
        if (receiving == Receiving.UPGRADED) {
            last.release();
            connection.becomeRaw();
            return;
        }
        onData(last.content());
        if (!over()) {
            if (receiving == Receiving.BODY_UNTIL_CLOSE && !connection.endIsGenuine()) {
                listener().onTolerated("close_notify");
            }
            completeResponse(last.trailingHeaders() instanceof HeaderBlock block ? block : new HeaderBlock(1));
        }
    }

    private @Nullable String findFault(LastHttpContent last) {
        Throwable cause = last.decoderResult().cause();
        if (cause != null) {
            return OriginHttp1Rules.describe(cause);
        }
        return last.trailingHeaders() instanceof HeaderBlock block ? MessageFaults.find(block) : null;
    }

    private void completeResponse(HeaderBlock trailers) {
        boolean told = receiving == Receiving.NO_BODY;
        receiving = Receiving.DONE;
        List<String> tolerated = connection.decoder().tolerated();
        for (int i = toldInHead; i < tolerated.size(); i++) {
            persistent = false;
            listener().onTolerated(tolerated.get(i)); // what was put right in the trailers
        }
        if (request.isDone()) {
            ends();
            connection.complete(persistent);
        } else if (!persistent) {
            ends();
            connection.discard();
        }
        if (!told) {
            listener().onEnd(trailers);
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
        if (over() || receiving != Receiving.UPGRADED) {
            return;
        }
        receiving = Receiving.HALF_ENDED;
        if (request.isDone()) {
            ends();
            connection.closeAfterWrites();
        }
        listener().onEnd(new HeaderBlock(1));
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
        if (!over() && receiving == Receiving.UPGRADED && cause == null && connection.endIsGenuine()) {
            ends();
            connection.discard();
            listener().onEnd(new HeaderBlock(1));
        } else if (receiving == Receiving.UPGRADED) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "after the switch of protocols: broke off", Repeat.NEVER);
        } else if (receiving == Receiving.HALF_ENDED && !over()) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "after the switch of protocols: takes no more", Repeat.NEVER);
        } else if (hasReceivedAll()) {
            abort();
        } else if (receiving != Receiving.HEAD) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response body: broke off");
        } else if (answered) {
            fail(Kind.UPSTREAM_PROTOCOL_ERROR, "response head: broke off");
        } else if (lacksCertificate()) {
            fail(Kind.UPSTREAM_WANTS_CLIENT_CERTIFICATE, reason(cause), Repeat.NEVER);
        } else if (cause != null && isTls(cause)) {
            fail(Kind.UPSTREAM_TLS_ERROR, TlsFailure.describe(cause), unanswered());
        } else {
            Parent forwarding = connection.forwarding();
            fail(
                    forwarding == null ? Kind.UPSTREAM_UNREACHABLE : Kind.UPSTREAM_PROXY_FAILED,
                    (forwarding == null ? "" : "parent proxy " + forwarding + ": ") + "closed before a response",
                    unanswered());
        }
    }

    /** Whether a request may be repeated whose connection ends without a byte of a response. */
    private Repeat unanswered() {
        if (!request.isBegun()) {
            return Repeat.UNPROCESSED;
        }
        return reused() ? Repeat.STALE_CONNECTION : Repeat.NEVER;
    }

    private void fail(Kind kind, String why) {
        fail(kind, why, Repeat.NEVER);
    }

    @Override
    void onFailed() {
        connection.discard();
    }
}

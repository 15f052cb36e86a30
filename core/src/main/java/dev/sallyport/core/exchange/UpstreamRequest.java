package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.body.ReplayBuffer;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.BodyFailureStatus;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.core.upstream.UpstreamListener;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.upstream.Upstreams;
import dev.sallyport.spi.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Sends an exchange's request to its origin and retries once if that is safe and the whole request is still held. What
 * a stream may lose is kept until the first byte of a response.
 */
final class UpstreamRequest implements UpstreamListener, BodySink {

    /** Response heads are charged beyond this size; the permit covers the rest. */
    private static final int UNCHARGED = 4 * 1024;

    private static final Refusal CROWDED_OUT = new Refusal(
            503, "overloaded", "The proxy has no memory for the head of the response.", "proxy_internal_error");

    private final Exchange exchange;
    private final Upstreams upstreams;
    private final ClientResponse response;
    private final ExchangeRecorder recorder;
    private final BodyBudget budget;
    private final PlaintextCredentialGate plaintext;

    private @Nullable Runnable cancelOpening;
    private @Nullable UpstreamStream stream;
    private boolean retried;

    /** Whether the origin has turned HTTP/1.1 down, over which an upgrade is asked for first. */
    private boolean onlyHttp2;

    /** Whether a second stream is being opened: what leaves the body meanwhile waits for it. */
    private boolean reopening;

    private boolean released;
    private boolean begun;
    private boolean endsWithHead;
    private @Nullable HeaderBlock ended;

    /** What has left of the body; null when it would not be sent again, or nothing has left. */
    private @Nullable ReplayBuffer replay;

    /** Whether bytes of the body have left and were not kept. */
    private boolean lost;

    UpstreamRequest(
            Exchange exchange,
            Upstreams upstreams,
            ClientResponse response,
            ExchangeRecorder recorder,
            BodyBudget budget,
            PlaintextCredentialGate plaintext) {
        this.exchange = exchange;
        this.upstreams = upstreams;
        this.response = response;
        this.recorder = recorder;
        this.budget = budget;
        this.plaintext = plaintext;
    }

    void open() {
        open(route());
    }

    private void open(Route route) {
        cancelOpening = upstreams.open(exchange.loop(), plaintext.restrict(route), this);
    }

    /** Goes on once it is known that a credential could go to the origin, to which no TLS is spoken. */
    void requireNear(Stage stage, Runnable next) {
        plaintext.require(stage, route(), next);
    }

    /** A client that speaks HTTP/2 without having negotiated it expects the like of an origin without TLS. */
    private Route route() {
        Connection client = exchange.connection();
        Route route = Route.chosenByWorkload(
                exchange.destination(), client.principal().workload());
        if (exchange.handshake() != null) {
            return onlyHttp2 ? route : route.overHttp1();
        }
        boolean priorKnowledge =
                client.protocol().equals("h2") && !client.transport().equals("tls");
        return priorKnowledge ? route.withPriorKnowledge() : route;
    }

    /** Gives the origin up. Idempotent. */
    void abort() {
        plaintext.cancel();
        Runnable cancel = cancelOpening;
        cancelOpening = null;
        if (cancel != null) {
            cancel.run();
        }
        reopening = false;
        UpstreamStream open = stream;
        stream = null;
        forget();
        if (open != null) {
            open.abort();
        }
    }

    @Override
    public void onReady(UpstreamStream ready) {
        cancelOpening = null;
        if (exchange.over()) {
            ready.abort();
            return;
        }
        stream = ready;
        reopening = false;
        recorder.upstream(ready.remoteAddress());
        plaintext.opened(ready);
        exchange.sending(ready.remoteAddress());
        if (exchange.bodyless()) {
            sendHead(ready, true);
        } else if (!released) {
            released = true;
            exchange.body().release(this);
        } else if (begun) {
            sendAgain(ready);
        }
    }

    private void sendAgain(UpstreamStream to) {
        if (plaintext.stops()) {
            return;
        }
        sendHead(to, endsWithHead);
        ReplayBuffer kept = replay;
        if (kept != null) {
            kept.drainTo(to::data);
        }
        forget();
        HeaderBlock trailers = ended;
        if (trailers == null) {
            exchange.body().writable();
        } else if (!endsWithHead) {
            to.end(trailers);
        }
    }

    /** The request will not be sent again: nothing of it need be kept. */
    private void forget() {
        lost = true;
        ReplayBuffer kept = replay;
        replay = null;
        if (kept != null) {
            kept.drop();
        }
    }

    @Override
    public void onInterim(ResponseMessage interim) {
        forget();
        if (interim.status() == 100) {
            exchange.continueFromOrigin();
        } else if (!exchange.over()) {
            HopByHop.strip(interim.headers());
            response.interim(interim, exchange.responseSteps());
        }
    }

    @Override
    public void onHead(ResponseMessage head, boolean end) {
        forget();
        UpstreamStream from = stream;
        if (exchange.over() || from == null) {
            return;
        }
        if (head.status() == 101) {
            onSwitch(from, head);
            return;
        }
        long size = head.headers().characters();
        if (size > UNCHARGED && !exchange.mayGrow(size)) {
            exchange.refuse(CROWDED_OUT, LocalResponses.DecidedBy.ENGINE, "");
            return;
        }
        HopByHop.strip(head.headers());
        exchange.answered(from.remoteAddress());
        response.begin(head, end, from::consumed, exchange.responseSteps());
    }

    private void sendHead(UpstreamStream to, boolean end) {
        WebSocketHandshake handshake = exchange.handshake();
        if (end && handshake != null) {
            boolean read = exchange.responseSteps().mayRewriteMessages() || response.searchesMessages();
            handshake.ask(exchange.head(), read);
        }
        to.head(exchange.head(), end);
    }

    private void onSwitch(UpstreamStream from, ResponseMessage head) {
        WebSocketHandshake handshake = exchange.handshake();
        String fault = handshake == null ? "101 for a request without an upgrade" : handshake.fault(head);
        if (handshake == null || fault != null) {
            exchange.refuse(
                    refusal(UpstreamFailure.Kind.UPSTREAM_PROTOCOL_ERROR),
                    LocalResponses.DecidedBy.ENGINE,
                    fault == null ? "" : fault);
            return;
        }
        HopByHop.strip(head.headers());
        handshake.conclude(head);
        exchange.answered(from.remoteAddress());
        exchange.prepareRelay(from);
        response.switching(head, exchange.responseSteps());
    }

    @Override
    public void onData(ByteBuf data) {
        UpgradeRelay relay = exchange.relay();
        if (relay == null) {
            response.fromOrigin(data);
        } else {
            relay.fromOrigin(data);
        }
    }

    @Override
    public void onEnd(HeaderBlock trailers) {
        UpgradeRelay relay = exchange.relay();
        if (relay == null) {
            response.originEnded(trailers);
        } else {
            relay.originEnded();
        }
    }

    @Override
    public void onWritable() {
        UpgradeRelay relay = exchange.relay();
        if (relay != null) {
            relay.originWritable();
        }
        MessageBody body = exchange.bodyIfAny();
        if (body != null) {
            body.writable();
        }
    }

    @Override
    public void onFailure(UpstreamFailure failure) {
        cancelOpening = null;
        stream = null;
        if (exchange.over()) {
            return;
        }
        UpgradeRelay relay = exchange.relay();
        if (relay != null && relay.originFailed()) {
            return;
        }
        if (response.began() || (response.received() && relay == null)) {
            recorder.failed(failure.message());
            response.broken();
        } else if (!retried
                && isWhole()
                && failure.repeat().allows(exchange.head().method())) {
            retried = true;
            reopening = true;
            open(route().onFreshConnection());
        } else if (exchange.handshake() != null && !onlyHttp2 && failure.repeat() == Repeat.OVER_HTTP2) {
            onlyHttp2 = true;
            open(route());
        } else {
            forget();
            if (failure.kind() == UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL) {
                plaintext.refused(failure);
            } else {
                exchange.refuse(refusal(failure.kind()), LocalResponses.DecidedBy.ENGINE, failure.message());
            }
        }
    }

    /** Whether nothing of the body has left for good. */
    private boolean isWhole() {
        return !lost && (replay == null || replay.isWhole());
    }

    /** Whether this stream could fail in a way that would let the request be sent again. */
    private boolean mayRepeat(UpstreamStream on) {
        if (retried || lost) {
            return false;
        }
        Repeat most = on.protocol().equals("h2") ? Repeat.UNPROCESSED : Repeat.STALE_CONNECTION;
        return (on.reused() || most == Repeat.UNPROCESSED)
                && most.allows(exchange.head().method());
    }

    static Refusal refusal(UpstreamFailure.Kind kind) {
        String detail = switch (kind) {
            case UPSTREAM_UNREACHABLE -> "The upstream could not be reached.";
            case UPSTREAM_PROTOCOL_ERROR -> "The upstream broke the protocol.";
            case UPSTREAM_TLS_ERROR -> "No trusted TLS connection to the upstream could be made.";
            case UPSTREAM_DENIED -> "The address of the upstream may not be dialled.";
            case PLAINTEXT_CREDENTIAL -> PlaintextCredentialGate.REFUSAL.detail();
            case UPSTREAM_TIMEOUT -> "The upstream did not answer in time.";
            case UPSTREAM_STALLED -> "The upstream did not take the body of the request in time.";
            case OVERLOADED -> "There are too many connections to the upstream.";
        };
        return new Refusal(kind.status(), kind.code(), detail, kind.proxyStatus());
    }

    // The body of the request on its way out.

    @Override
    public void begin(long length) {
        if (plaintext.stops()) {
            return;
        }
        begun = true;
        RequestMessage head = exchange.head();
        endsWithHead = length == 0 && head.length() == 0;
        if (!endsWithHead) {
            MessageBody body = exchange.body();
            BodyFraming.apply(head, body.trailing() ? RequestMessage.UNKNOWN_LENGTH : length, body.altered());
        }
        UpstreamStream target = stream;
        if (target != null) {
            sendHead(target, endsWithHead);
        }
    }

    @Override
    public void data(ByteBuf data) {
        UpstreamStream target = stream;
        if (target != null && plaintext.stops()) {
            data.release();
        } else if (target != null) {
            if (mayRepeat(target)) {
                replay().left(data);
            } else {
                lost = true;
            }
            target.data(data);
        } else if (reopening) {
            replay().queue(data);
        } else {
            data.release();
        }
    }

    private ReplayBuffer replay() {
        ReplayBuffer present = replay;
        if (present == null) {
            present = new ReplayBuffer(ByteBufAllocator.DEFAULT, budget);
            replay = present;
        }
        return present;
    }

    @Override
    public void end(HeaderBlock trailers) {
        ended = trailers;
        UpstreamStream target = stream;
        if (target != null && plaintext.stops()) {
            return;
        }
        if (target != null && !endsWithHead) {
            target.end(trailers);
        }
        exchange.releaseLease();
    }

    @Override
    public void failed(BodyFailure failure) {
        if (failure.reject() != null) {
            exchange.rejectedLate(failure.position(), failure.reject());
            return;
        }
        BodyFailureStatus fault = BodyFailureStatus.ofRequest(failure);
        exchange.refuse(
                new Refusal(fault.status(), fault.code(), failure.detail(), "http_request_error"),
                LocalResponses.DecidedBy.ENGINE,
                failure.detail());
    }

    @Override
    public boolean isWritable() {
        UpstreamStream target = stream;
        return target == null ? !reopening : target.isWritable();
    }
}

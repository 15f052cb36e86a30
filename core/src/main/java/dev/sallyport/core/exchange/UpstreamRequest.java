package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.upstream.HeaderTimeouts;
import dev.sallyport.core.upstream.OriginTimeouts;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.core.upstream.UpstreamListener;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.upstream.Upstreams;
import dev.sallyport.spi.Connection;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The way of an exchange to its origin, which has a {@link State}: opens a stream, sends the {@link OutgoingRequest} on
 * it, on another if that is safe, and takes what comes back.
 */
final class UpstreamRequest implements UpstreamListener {

    /** The progress of the way to the origin. */
    enum State {
        /** The transforms are still judging, or the request is to be sent once more: no stream has been requested. */
        IDLE,
        /** A stream is being opened, the first or another: body bytes wait for it. */
        OPENING,
        /** There is a stream, and no final head has come on it. */
        OPEN,
        /** The origin's final head has come, and its message follows. */
        ANSWERED,
        /** The origin's message was read to its end. */
        COMPLETE,
        /** The origin has switched protocols: the relay listens to the stream. */
        UPGRADED,
        /** Failed or given up: further input from either side is discarded. */
        CLOSED;

        /** The transitions. */
        boolean mayBecome(State next) {
            return switch (next) {
                case IDLE -> this == ANSWERED || this == COMPLETE;
                case OPENING -> this == IDLE || this == OPENING || this == OPEN;
                case OPEN -> this == OPENING;
                case ANSWERED, UPGRADED -> this == OPEN;
                case COMPLETE -> this == ANSWERED;
                case CLOSED -> true;
            };
        }
    }

    /** Response heads are charged beyond this size; the permit covers the rest. */
    private static final int UNCHARGED = 4 * 1024;

    private static final Refusal CROWDED_OUT = new Refusal(
            503, "overloaded", "The proxy has no memory for the head of the response.", "proxy_internal_error");

    private final Exchange exchange;
    private final Upstreams upstreams;
    private final ClientResponse response;
    private final ExchangeRecorder recorder;
    private final PlaintextCredentialGate plaintext;
    private final OutgoingRequest message;

    private State state = State.IDLE;

    /** Whether the request has been answered once, and was sent again with another head. */
    private boolean repeated;

    /** While {@link State#OPENING}. */
    private @Nullable Runnable cancelOpening;

    /** Whether a stream that comes now was there at once: no time has passed since {@link #allowedAt}. */
    private boolean atOnce;

    /** The limits on the stream that was opened last. */
    private @Nullable OriginTimeouts timeouts;

    private long allowedAt;
    private long readyAt;

    /** From {@link State#OPEN} on until {@link State#CLOSED}. */
    private @Nullable UpstreamStream stream;

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
        this.plaintext = plaintext;
        this.message = new OutgoingRequest(exchange, this, plaintext, budget);
    }

    State state() {
        return state;
    }

    /** The stream on which the request is sent; null when there is none. */
    @Nullable UpstreamStream stream() {
        return stream;
    }

    private void become(State next) {
        if (!state.mayBecome(next)) {
            throw exchange.impossible("upstream: " + next + " after " + state);
        }
        state = next;
    }

    IllegalStateException unexpected(String event) {
        return exchange.impossible("upstream: " + event + " while " + state);
    }

    // The way to the origin.

    /** The transforms have continued. */
    void open() {
        switch (state) {
            case IDLE -> {
                allowedAt = exchange.allowedNanos();
                atOnce = true;
                open(route());
                atOnce = false;
            }
            case CLOSED -> {}
            case OPENING, OPEN, ANSWERED, COMPLETE, UPGRADED -> throw unexpected("the request");
        }
    }

    private void open(Route route) {
        become(State.OPENING);
        timeouts = null;
        cancelOpening = upstreams.open(exchange.facts().loop(), plaintext.restrict(route), this);
    }

    /** Continues once it is known that a credential may be sent to the origin without TLS. */
    void requireNear(Stage stage, Runnable next) {
        plaintext.require(stage, route(), next);
    }

    /** A client that speaks HTTP/2 by prior knowledge expects the same of an origin without TLS. */
    private Route route() {
        ExchangeFacts facts = exchange.facts();
        Connection client = facts.connection();
        Route route =
                Route.chosenByWorkload(facts.destination(), client.principal().workload(), facts.client());
        UpgradeHandshake handshake = exchange.handshake();
        if (handshake != null) {
            return handshake.route(route);
        }
        if (exchange.head().method().equals("TRACE")) {
            // Whoever answers it repeats what it got, a parent's credentials for example.
            route = route.throughConnection();
        }
        boolean priorKnowledge =
                client.protocol().equals("h2") && !client.transport().equals("tls");
        return priorKnowledge ? route.withPriorKnowledge() : route;
    }

    /** Whether the origin's message was read to its end. */
    boolean isComplete() {
        return state == State.COMPLETE;
    }

    /** Whether a request that has been answered may be sent once more; that is done once. */
    boolean repeatable() {
        return !repeated && (state == State.ANSWERED || state == State.COMPLETE);
    }

    /** Sends the request, which has no body, once more with its head as it is now. */
    void repeat() {
        UpstreamStream answered = stream;
        become(State.IDLE);
        repeated = true;
        stream = null;
        message.hold();
        if (answered != null) {
            answered.abort();
        }
        open();
    }

    /** Gives the origin up. Idempotent. */
    void abort() {
        plaintext.cancel();
        Runnable cancel = cancelOpening;
        if (cancel != null) {
            cancel.run();
        }
        UpstreamStream open = stream;
        close();
        if (open != null) {
            open.abort();
        }
    }

    private void close() {
        become(State.CLOSED);
        cancelOpening = null;
        stream = null;
        message.forget();
    }

    @Override
    public void onReady(UpstreamStream ready) {
        if (state == State.CLOSED) {
            ready.abort();
            return;
        }
        become(State.OPEN);
        cancelOpening = null;
        stream = ready;
        readyAt = atOnce ? allowedAt : System.nanoTime();
        recorder.upstreamWait(readyAt - allowedAt);
        recorder.reached(ready.endpoint());
        if (exchange.carriesDeleted()) {
            return;
        }
        plaintext.opened(ready);
        exchange.sending(ready.endpoint().origin());
        message.sendOn(ready);
    }

    @Override
    public void onInterim(ResponseMessage interim) {
        if (state == State.CLOSED) {
            return;
        }
        UpstreamStream from = stream;
        if (state != State.OPEN || from == null) {
            throw unexpected("an interim head");
        }
        message.forget();
        if (interim.status() == 100) {
            exchange.continueFromOrigin();
        } else {
            HopByHop.strip(interim.headers());
            exchange.answered(from.endpoint().origin());
            response.interim(interim, exchange.responseSteps());
        }
    }

    @Override
    public void onHead(ResponseMessage head, boolean end) {
        if (state == State.CLOSED) {
            return;
        }
        UpstreamStream from = stream;
        if (from == null) {
            throw unexpected("a head");
        }
        recorder.upstreamResponse(System.nanoTime() - readyAt);
        if (head.status() == 101) {
            onSwitch(from, head);
            return;
        }
        become(State.ANSWERED);
        message.forget();
        long size = head.headers().characters();
        if (size > UNCHARGED && !exchange.mayGrow(size)) {
            exchange.refuse(CROWDED_OUT, LocalResponses.DecidedBy.ENGINE, "");
            return;
        }
        HopByHop.stripButTrailer(head.headers());
        head.tolerated().forEach(recorder::tolerated);
        exchange.answered(from.endpoint().origin());
        if (end) {
            become(State.COMPLETE);
        }
        response.begin(head, end, from::consumed, exchange.responseSteps());
    }

    private void onSwitch(UpstreamStream from, ResponseMessage head) {
        become(State.UPGRADED);
        message.forget();
        UpgradeHandshake handshake = exchange.handshake();
        String fault = handshake == null ? "101 for a request without an upgrade" : handshake.fault(head);
        if (handshake == null || fault != null) {
            exchange.refuse(
                    UpstreamRefusals.of(UpstreamFailure.Kind.UPSTREAM_PROTOCOL_ERROR),
                    LocalResponses.DecidedBy.ENGINE,
                    fault == null ? "" : fault);
            return;
        }
        HopByHop.strip(head.headers());
        head.tolerated().forEach(recorder::tolerated);
        handshake.conclude(head);
        exchange.answered(from.endpoint().origin());
        exchange.prepareRelay(from, handshake.framed());
        response.switching(head, exchange.responseSteps());
    }

    @Override
    public void onData(ByteBuf data) {
        switch (state) {
            case ANSWERED -> response.fromOrigin(data);
            case CLOSED -> data.release();
            case IDLE, OPENING, OPEN, COMPLETE, UPGRADED -> {
                data.release();
                throw unexpected("data");
            }
        }
    }

    @Override
    public void onTolerated(String code) {
        recorder.tolerated(code);
    }

    @Override
    public void onEnd(HeaderBlock fields) {
        if (state != State.CLOSED) {
            become(State.COMPLETE);
            response.originEnded(fields);
        }
    }

    @Override
    public void onWritable() {
        message.writable();
    }

    @Override
    public void onFailure(UpstreamFailure failure) {
        switch (state) {
            case OPENING, OPEN -> failedUnanswered(failure);
            case ANSWERED, COMPLETE -> failedAnswered(failure);
            case CLOSED -> {}
            case IDLE, UPGRADED -> throw unexpected("a failure");
        }
    }

    private void failedAnswered(UpstreamFailure failure) {
        close();
        recorder.failed(UpstreamRefusals.of(failure.kind()).error(failure.message()));
        response.broken();
    }

    private void failedUnanswered(UpstreamFailure failure) {
        UpgradeHandshake handshake = exchange.handshake();
        stream = null;
        if (message.repeats(failure.repeat())) {
            open(route().onFreshConnection());
        } else if (handshake != null && failure.repeat() == Repeat.OVER_HTTP2 && handshake.overHttp2Alone()) {
            open(route());
        } else {
            giveUp(failure);
        }
    }

    private void giveUp(UpstreamFailure failure) {
        close();
        if (failure.kind() == UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL) {
            plaintext.refused(failure);
        } else {
            Refusal refusal = UpstreamRefusals.of(failure.kind(), timeouts);
            if (failure.kind() == UpstreamFailure.Kind.UPSTREAM_TLS_ERROR) {
                refusal = refusal.explained(failure.message());
            }
            exchange.refuse(refusal, LocalResponses.DecidedBy.ENGINE, failure.message());
        }
    }

    @Override
    public OriginTimeouts timeouts(OriginTimeouts usual) {
        HeaderTimeouts own = exchange.settings().headerTimeouts();
        OriginTimeouts limits = own.of(exchange.facts().destination(), exchange.head(), usual);
        timeouts = limits;
        return limits;
    }
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.BodyFaults;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamListener;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.upstream.Upstreams;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An exchange's way to its origin: opens the stream, sends the request, and tries once more where that is harmless. */
final class UpstreamLeg implements UpstreamListener, BodySink {

    /** Methods that may be repeated when the origin did not act on them (RFC 9110, 9.2.2). */
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    private final Exchange exchange;
    private final Upstreams upstreams;
    private final ResponseFlow response;
    private final Ledger ledger;

    private @Nullable Runnable cancelOpening;
    private @Nullable UpstreamStream stream;
    private boolean retried;
    private boolean endsWithHead;

    UpstreamLeg(Exchange exchange, Upstreams upstreams, ResponseFlow response, Ledger ledger) {
        this.exchange = exchange;
        this.upstreams = upstreams;
        this.response = response;
        this.ledger = ledger;
    }

    void open() {
        open(route());
    }

    private void open(Route route) {
        cancelOpening = upstreams.open(exchange.loop(), route, this);
    }

    private Route route() {
        Route route = Route.chosenByWorkload(
                exchange.destination(), exchange.connection().principal().workload());
        return exchange.handshake() == null ? route : route.overHttp1();
    }

    /** Gives the origin up. Idempotent. */
    void abort() {
        Runnable cancel = cancelOpening;
        cancelOpening = null;
        if (cancel != null) {
            cancel.run();
        }
        UpstreamStream open = stream;
        stream = null;
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
        ledger.upstream(ready.remoteAddress());
        if (exchange.bodyless() || endsWithHead) {
            sendHead(ready, true);
        } else {
            exchange.body().release(this);
        }
    }

    @Override
    public void onInterim(ResponseMessage interim) {
        if (interim.status() == 100) {
            exchange.continueFromOrigin();
        } else if (!exchange.over()) {
            HopByHop.strip(interim.headers());
            response.interim(interim, exchange.responseSteps());
        }
    }

    @Override
    public void onHead(ResponseMessage head, boolean end) {
        UpstreamStream from = stream;
        if (exchange.over() || from == null) {
            return;
        }
        if (head.status() == 101) {
            onSwitch(from, head);
            return;
        }
        HopByHop.strip(head.headers());
        response.begin(head, end, from::consumed, exchange.responseSteps());
    }

    private void sendHead(UpstreamStream to, boolean end) {
        Handshake handshake = exchange.handshake();
        if (end && handshake != null) {
            handshake.ask(exchange.head(), exchange.responseSteps().mayRewriteMessages());
        }
        to.head(exchange.head(), end);
    }

    private void onSwitch(UpstreamStream from, ResponseMessage head) {
        Handshake handshake = exchange.handshake();
        String fault = handshake == null ? "101 for a request without an upgrade" : handshake.fault(head);
        if (handshake == null || fault != null) {
            exchange.refuse(
                    refusal(UpstreamFailure.Kind.UPSTREAM_PROTOCOL_ERROR),
                    Answers.Origin.ENGINE,
                    fault == null ? "" : fault);
            return;
        }
        HopByHop.strip(head.headers());
        handshake.conclude(head);
        exchange.prepareRelay(from);
        response.switching(head, exchange.responseSteps());
    }

    @Override
    public void onData(ByteBuf data) {
        Relay relay = exchange.relay();
        if (relay == null) {
            response.fromOrigin(data);
        } else {
            relay.fromOrigin(data);
        }
    }

    @Override
    public void onEnd(HeaderBlock trailers) {
        Relay relay = exchange.relay();
        if (relay == null) {
            response.originEnded(trailers);
        } else {
            relay.originEnded();
        }
    }

    @Override
    public void onWritable() {
        Relay relay = exchange.relay();
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
        Relay relay = exchange.relay();
        if (relay != null && relay.originFailed()) {
            return;
        }
        if (response.began() || (response.received() && relay == null)) {
            ledger.failed(failure.message());
            response.broken();
        } else if (failure.unprocessed() && !retried && replayable()) {
            retried = true;
            open(route().onFreshConnection());
        } else {
            exchange.refuse(refusal(failure.kind()), Answers.Origin.ENGINE, failure.message());
        }
    }

    /** Whether the request can be sent again: nothing of a body is lost, and repeating it does no harm. */
    private boolean replayable() {
        return (exchange.bodyless() || endsWithHead)
                && IDEMPOTENT.contains(exchange.head().method());
    }

    static Refusal refusal(UpstreamFailure.Kind kind) {
        String detail = switch (kind) {
            case UPSTREAM_UNREACHABLE -> "The upstream could not be reached.";
            case UPSTREAM_PROTOCOL_ERROR -> "The upstream broke the protocol.";
            case UPSTREAM_TLS_ERROR -> "No trusted TLS connection to the upstream could be made.";
            case UPSTREAM_DENIED -> "The address of the upstream may not be dialled.";
            case UPSTREAM_TIMEOUT -> "The upstream did not answer in time.";
            case OVERLOADED -> "There are too many connections to the upstream.";
        };
        return new Refusal(kind.status(), kind.name().toLowerCase(Locale.ROOT), detail, kind.proxyStatus());
    }

    // The body of the request on its way out.

    @Override
    public void begin(long length) {
        UpstreamStream target = stream;
        if (target != null) {
            RequestMessage head = exchange.head();
            endsWithHead = length == 0 && head.length() == 0;
            if (!endsWithHead) {
                MessageBody body = exchange.body();
                Framing.apply(head, body.trailing() ? RequestMessage.UNKNOWN_LENGTH : length, body.altered());
            }
            sendHead(target, endsWithHead);
        }
    }

    @Override
    public void data(ByteBuf data) {
        UpstreamStream target = stream;
        if (target == null) {
            data.release();
        } else {
            target.data(data);
        }
    }

    @Override
    public void end(HeaderBlock trailers) {
        UpstreamStream target = stream;
        if (target != null && !endsWithHead) {
            target.end(trailers);
        }
    }

    @Override
    public void failed(BodyFailure failure) {
        BodyFaults fault = BodyFaults.ofRequest(failure.kind());
        exchange.refuse(
                new Refusal(fault.status(), fault.code(), failure.detail(), "http_request_error"),
                Answers.Origin.ENGINE,
                failure.detail());
    }

    @Override
    public boolean isWritable() {
        UpstreamStream target = stream;
        return target == null || target.isWritable();
    }
}

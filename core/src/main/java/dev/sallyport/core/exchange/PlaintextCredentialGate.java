package dev.sallyport.core.exchange;

import dev.sallyport.core.pipeline.RequestRun;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.core.upstream.NearAddresses;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.RouteCheckListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.upstream.Upstreams;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps credentials from leaving without TLS, except to near addresses (docs/spec/decisions.md, section 6): before
 * minting, when dialling, and when sending body bytes. Confined to the exchange's loop.
 */
final class PlaintextCredentialGate {

    private static final Refusal REFUSAL = EngineVerdicts.PLAINTEXT_CREDENTIAL;

    private final Exchange exchange;
    private final RequestRun run;
    private final Upstreams upstreams;
    private final ExchangeRecorder recorder;
    private @Nullable Runnable cancelCheck;
    private boolean watching;

    PlaintextCredentialGate(Exchange exchange, RequestRun run, Upstreams upstreams, ExchangeRecorder recorder) {
        this.exchange = exchange;
        this.run = run;
        this.upstreams = upstreams;
        this.recorder = recorder;
    }

    /** Continues if the route has a near address; otherwise refuses. */
    void require(Stage stage, Route route, Runnable next) {
        cancelCheck = upstreams.check(exchange.facts().loop(), route.toNearAddresses(), new RouteCheckListener() {
            @Override
            public void onPassed(List<InetSocketAddress> addresses) {
                cancelCheck = null;
                next.run();
            }

            @Override
            public void onFailure(UpstreamFailure failure) {
                cancelCheck = null;
                if (failure.kind() == UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL) {
                    refuse(stage, failure.message());
                } else {
                    exchange.refuse(
                            UpstreamRefusals.of(failure.kind()), LocalResponses.DecidedBy.ENGINE, failure.message());
                }
            }
        });
    }

    /** Cancels a check. Idempotent. */
    void cancel() {
        Runnable cancel = cancelCheck;
        cancelCheck = null;
        if (cancel != null) {
            cancel.run();
        }
    }

    /** The route, limited to near addresses if the request already carries a credential that must not go elsewhere. */
    Route restrict(Route route) {
        return run.carriesForTls() == null ? route : route.toNearAddresses();
    }

    /** Sets the stream to which the request is sent from now on. */
    void opened(UpstreamStream stream) {
        InetAddress address = stream.endpoint().address();
        watching = run.mayCarryForTls() && (address == null || !NearAddresses.contain(address));
    }

    /** Whether sending must stop; if so, the exchange has been refused. */
    boolean stops() {
        Stage stage = watching ? run.carriesForTls() : null;
        if (stage != null) {
            watching = false;
            refuse(stage, exchange.facts().destination() + ": a credential in what follows the head");
        }
        return stage != null;
    }

    /** There was no near address. */
    void refused(UpstreamFailure failure) {
        Stage stage = run.carriesForTls();
        if (stage == null) {
            exchange.refuse(REFUSAL, LocalResponses.DecidedBy.ENGINE, failure.message());
        } else {
            refuse(stage, failure.message());
        }
    }

    private void refuse(Stage stage, String why) {
        if (!exchange.over()) {
            recorder.rejectedBy(stage.name());
            exchange.refuse(REFUSAL, LocalResponses.DecidedBy.of(stage, null), why);
        }
    }
}

package dev.sallyport.core.explain;

import dev.sallyport.core.exchange.EngineVerdicts;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.upstream.NearAddresses;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.RouteCheckListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.spi.Destination;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a request would be sent: the addresses that the dial guard lets it go to. A name is resolved only for a request
 * that is explained live; what is known of an address literal is always told. Confined to the loop.
 */
final class DialPreview {

    private final TrialServices services;
    private final Destination destination;
    private final Route route;
    private final boolean known;
    private List<InetSocketAddress> addresses = List.of();
    private @Nullable Runnable cancel;

    DialPreview(TrialServices services, ExplainRequest request, Destination destination, String workload) {
        this.services = services;
        this.destination = destination;
        this.route = Route.chosenByWorkload(destination, workload, this);
        this.known = request.isLive() || destination.literal();
    }

    /** Whether the addresses stay unknown, because finding them would ask a name server. */
    boolean isUnknown() {
        return !known;
    }

    /** What is missing where they stay unknown. */
    String notResolved() {
        return "whether " + destination.host()
                + " has an address near enough for a credential without TLS is not known:"
                + " the name was not resolved";
    }

    List<InetSocketAddress> addresses() {
        return addresses;
    }

    /** Whether a credential may go there without TLS, whichever of the addresses is dialled. */
    boolean isNear() {
        return addresses.stream().allMatch(address -> NearAddresses.contain(address.getAddress()));
    }

    /** Whether the address that is dialled is known to be loopback. */
    boolean isLoopback() {
        return !addresses.isEmpty()
                && addresses.stream().allMatch(address -> address.getAddress().isLoopbackAddress());
    }

    /**
     * Looks for addresses, as a dial would.
     *
     * @param near whether only near ones will do
     * @param next runs when there are some
     * @param refused receives why there are none
     */
    void find(boolean near, Runnable next, Consumer<Refusal> refused) {
        cancel = services.upstreams()
                .check(services.loop(), near ? route.toNearAddresses() : route, new RouteCheckListener() {
                    @Override
                    public void onPassed(List<InetSocketAddress> found) {
                        cancel = null;
                        addresses = List.copyOf(found);
                        next.run();
                    }

                    @Override
                    public void onFailure(UpstreamFailure failure) {
                        cancel = null;
                        refused.accept(EngineVerdicts.upstream(failure.kind()));
                    }
                });
    }

    /** Gives a search up. Idempotent. */
    void cancel() {
        Runnable searching = cancel;
        cancel = null;
        if (searching != null) {
            searching.run();
        }
    }
}

package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to connect one tunnel: takes a slot of the origin, then dials without TLS. Does not wait for a slot,
 * because tunnels return theirs after hours. Confined to its loop.
 */
final class TunnelAttempt implements Dial.Result {

    private final EventLoop loop;
    private final UpstreamPools pools;
    private final Route route;
    private final TunnelListener listener;
    private @Nullable Dial dial;
    private boolean over;

    TunnelAttempt(EventLoop loop, UpstreamPools pools, Route route, TunnelListener listener) {
        this.loop = loop;
        this.pools = pools;
        this.route = new Route(
                raw(route.destination()), route.workload(), route.guarded(), Route.Versions.NEGOTIATED, false, true);
        this.listener = listener;
    }

    /** The ends of a tunnel choose the protocol inside: the dial adds no TLS. */
    private static Destination raw(Destination to) {
        return to.address() == null
                ? Destination.named(to.host(), to.port(), false)
                : Destination.literal(to.host(), to.address(), to.port(), false);
    }

    void start() {
        UpstreamProfile profile = pools.profile();
        if (pools.isClosed()) {
            overloaded("the proxy is shutting down");
        } else if (pools.limits()
                .tryAcquire(route.destination(), profile.limits().maxConnectionsPerOrigin())) {
            pools.stats().dials.increment();
            Dial started = new Dial(loop, profile, route, false, this);
            dial = started;
            started.start();
        } else {
            overloaded("too many connections");
        }
    }

    /** Ends the opening without a word to the listener. */
    void cancel() {
        if (!over) {
            over = true;
            if (dial != null) {
                dial.cancel();
                missed();
            }
        }
    }

    @Override
    public void connected(Channel channel, UpstreamProfile profile) {
        over = true;
        dial = null;
        pools.stats().open.increment();
        channel.closeFuture().addListener(closed -> {
            pools.stats().open.decrement();
            pools.limits().release(route.destination());
        });
        listener.onConnected(channel);
    }

    @Override
    public void failed(UpstreamFailure failure) {
        over = true;
        dial = null;
        missed();
        listener.onFailure(failure);
    }

    private void missed() {
        pools.stats().dialFailures.increment();
        pools.limits().release(route.destination());
    }

    private void overloaded(String why) {
        UpstreamFailure failure = new UpstreamFailure(
                UpstreamFailure.Kind.OVERLOADED, route.destination() + ": " + why, UpstreamFailure.Repeat.NEVER);
        loop.execute(() -> {
            if (!over) {
                over = true;
                listener.onFailure(failure);
            }
        });
    }
}

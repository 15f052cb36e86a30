package dev.sallyport.core.upstream;

import dev.sallyport.core.upstream.OriginSlots.Share;
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

    /** Counts passed-through connections apart from those on which the proxy speaks TLS. */
    private final Destination counted;

    private @Nullable Dial dial;
    private @Nullable Share share;
    private boolean over;

    TunnelAttempt(EventLoop loop, UpstreamPools pools, Route route, TunnelListener listener) {
        this.loop = loop;
        this.pools = pools;
        this.route = route.onFreshConnection().throughConnection();
        this.counted = raw(route.destination());
        this.listener = listener;
    }

    /** The destination under which the limits count a tunnel, whose ends choose the protocol. */
    private static Destination raw(Destination to) {
        return to.address() == null
                ? Destination.named(to.host(), to.port(), false)
                : Destination.literal(to.host(), to.address(), to.port(), false);
    }

    void start() {
        UpstreamProfile profile = pools.profile();
        if (pools.isClosed()) {
            overloaded("the proxy is shutting down");
            return;
        }
        share = pools.limits()
                .tryAcquire(counted, route.client(), profile.limits().maxConnectionsPerOrigin());
        if (share != null) {
            pools.stats().dials.increment();
            ParentRoute parentRoute = ParentRoute.of(route, profile.parents());
            Dial started = new Dial(loop, profile, route, parentRoute, Dial.Layer.RAW, pools.timers(), this);
            dial = started;
            started.start();
        } else {
            overloaded("too many connections");
        }
    }

    /** Cancels the attempt without notifying the listener. */
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
    public void connected(Channel channel, UpstreamProfile profile, OriginEndpoint endpoint) {
        over = true;
        dial = null;
        pools.stats().open.increment();
        channel.closeFuture().addListener(closed -> {
            pools.stats().open.decrement();
            pools.limits().release(counted, share);
        });
        listener.onConnected(channel, endpoint);
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
        pools.limits().release(counted, share);
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

package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks whether a route could be dialled, without dialling it. Confined to its loop. */
final class RouteCheck implements AddressSearch.Result {

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Route route;
    private final RouteCheckListener listener;
    private final AddressSearch search;
    private @Nullable ScheduledFuture<?> limit;

    RouteCheck(EventLoop loop, UpstreamProfile profile, Route route, RouteCheckListener listener) {
        this.loop = loop;
        this.profile = profile;
        this.route = route;
        this.listener = listener;
        this.search = new AddressSearch(loop, profile, route, profile.parents().of(route.destination()), this);
    }

    void start() {
        limit = loop.schedule(
                this::tookTooLong, profile.limits().connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
        search.start();
    }

    void cancel() {
        search.cancel();
        stopLimit();
    }

    @Override
    public void found(List<InetSocketAddress> addresses) {
        stopLimit();
        listener.onPassed(addresses);
    }

    @Override
    public void failed(UpstreamFailure.Kind kind, String why) {
        stopLimit();
        listener.onFailure(new UpstreamFailure(kind, route.destination() + ": " + why, UpstreamFailure.Repeat.NEVER));
    }

    private void tookTooLong() {
        search.cancel();
        failed(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "the name was not resolved in time");
    }

    private void stopLimit() {
        ScheduledFuture<?> timer = limit;
        if (timer != null) {
            limit = null;
            timer.cancel(false);
        }
    }
}

package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resolves a route to the addresses that may be dialled, minus those the guard denies and, where required, those that
 * are not near. The result is called once, never from inside {@link #start}, and not after {@link #cancel}. Confined to
 * its loop.
 */
final class AddressSearch {

    /** Receives the outcome of a search. */
    interface Result {

        /** At least one address, in the order in which to try them. */
        void found(List<InetSocketAddress> addresses);

        void failed(UpstreamFailure.Kind kind, String why);
    }

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Route route;
    private final Result result;
    private @Nullable Future<List<InetAddress>> lookup;
    private boolean over;

    AddressSearch(EventLoop loop, UpstreamProfile profile, Route route, Result result) {
        this.loop = loop;
        this.profile = profile;
        this.route = route;
        this.result = result;
    }

    void start() {
        Destination destination = route.destination();
        InetAddress literal = destination.address();
        if (literal != null) {
            loop.execute(() -> resolved(List.of(literal)));
            return;
        }
        Future<List<InetAddress>> asked = profile.names().resolveAll(loop, destination.host());
        lookup = asked;
        asked.addListener((Future<List<InetAddress>> answer) -> loop.execute(() -> answered(answer)));
    }

    void cancel() {
        over = true;
        Future<List<InetAddress>> asked = lookup;
        if (asked != null) {
            lookup = null;
            asked.cancel(false);
        }
    }

    private void answered(Future<List<InetAddress>> answer) {
        lookup = null;
        if (answer.isSuccess()) {
            resolved(answer.getNow());
        } else {
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, DialErrors.describeLookup(answer.cause()));
        }
    }

    private void resolved(List<InetAddress> addresses) {
        int port = route.destination().port();
        List<InetSocketAddress> allowed = new ArrayList<>(addresses.size());
        boolean far = false;
        for (InetAddress address : addresses) {
            if (route.guarded() && profile.guard().denies(address, port)) {
                continue;
            }
            if (route.nearOnly() && !NearAddresses.contain(address)) {
                far = true;
            } else {
                allowed.add(new InetSocketAddress(address, port));
            }
        }
        if (!allowed.isEmpty()) {
            if (!over) {
                over = true;
                result.found(allowed);
            }
        } else if (addresses.isEmpty()) {
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "the name has no address");
        } else if (far) {
            fail(
                    UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL,
                    "no loopback, private or link-local address, and no TLS, for a credential");
        } else {
            fail(UpstreamFailure.Kind.UPSTREAM_DENIED, "the address may not be dialled");
        }
    }

    private void fail(UpstreamFailure.Kind kind, String why) {
        if (!over) {
            over = true;
            result.failed(kind, why);
        }
    }
}

package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parent;
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

        /** At least one address, in the order in which to try them; the only one is unresolved if a parent finds it. */
        void found(List<InetSocketAddress> addresses);

        void failed(UpstreamFailure.Kind kind, String why);
    }

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Route route;
    private final @Nullable Parent parent;
    private final Result result;
    private @Nullable Future<List<InetAddress>> lookup;
    private boolean over;

    /** @param parent the parent that connects to the addresses; null when they are dialled directly */
    AddressSearch(EventLoop loop, UpstreamProfile profile, Route route, @Nullable Parent parent, Result result) {
        this.loop = loop;
        this.profile = profile;
        this.route = route;
        this.parent = parent;
        this.result = result;
    }

    void start() {
        Destination destination = route.destination();
        InetAddress literal = destination.address();
        if (literal != null) {
            loop.execute(() -> resolved(List.of(literal)));
            return;
        }
        if (parent != null && parent.resolves(destination)) {
            loop.execute(this::leftToParent);
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

    /** The parent resolves the name: no address is known to be near. */
    private void leftToParent() {
        Destination destination = route.destination();
        if (route.nearOnly()) {
            fail(
                    UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL,
                    "a parent proxy resolves the name, so it is not known to be near, and no TLS, for a credential");
        } else if (!over) {
            over = true;
            result.found(List.of(InetSocketAddress.createUnresolved(destination.host(), destination.port())));
        }
    }

    private void answered(Future<List<InetAddress>> answer) {
        lookup = null;
        if (answer.isSuccess()) {
            resolved(answer.getNow());
        } else {
            String why = DialErrors.describeLookup(answer.cause());
            // Behind a parent there is often no name server that knows more than the own network.
            fail(
                    UpstreamFailure.Kind.UPSTREAM_UNREACHABLE,
                    parent == null
                            ? why
                            : why + " (expected: a name server that knows it, or resolve: remote in"
                                    + " proxy.upstream_proxy)");
        }
    }

    private void resolved(List<InetAddress> addresses) {
        int port = route.destination().port();
        List<InetSocketAddress> allowed = new ArrayList<>(addresses.size());
        String denied = null;
        boolean far = false;
        for (InetAddress address : addresses) {
            if (route.guarded() && profile.guard().denies(address, port)) {
                denied = denied == null ? profile.guard().why(address, port) : denied;
            } else if (route.nearOnly() && !NearAddresses.contain(address)) {
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
        } else if (far) {
            fail(
                    UpstreamFailure.Kind.PLAINTEXT_CREDENTIAL,
                    "no loopback, private or link-local address, and no TLS, for a credential");
        } else if (denied != null) {
            fail(UpstreamFailure.Kind.UPSTREAM_DENIED, denied);
        } else {
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "the name has no address");
        }
    }

    private void fail(UpstreamFailure.Kind kind, String why) {
        if (!over) {
            over = true;
            result.failed(kind, why);
        }
    }
}

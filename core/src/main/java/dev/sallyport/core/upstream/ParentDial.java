package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.ParentException;
import dev.sallyport.core.parent.ParentHandshake;
import dev.sallyport.core.parent.ParentHandshakeHandler;
import dev.sallyport.core.parent.ParentTlsEnd;
import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.spi.Destination;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connects through a parent proxy: resolves it (the guard does not apply, because the operator named it), performs the
 * TLS handshake with it where configured, and requests one address after the other until it reaches one. Dials only the
 * parent. The result is called once, and not after {@link #cancel}. Sets no time limit. Confined to its loop.
 */
final class ParentDial {

    /** Receives the outcome of a dial through a parent. */
    interface Result {

        /** The channel leads to this address, or to the parent when it forwards requests; reading is off. */
        void led(Channel channel, InetSocketAddress target);

        void failed(UpstreamFailure.Kind kind, String why);
    }

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Parent parent;
    private final boolean forwarded;
    private final Destination destination;
    private final List<InetSocketAddress> targets;
    private final Result result;
    private List<InetSocketAddress> places = List.of();
    private @Nullable Future<List<InetAddress>> lookup;
    private @Nullable HappyEyeballs race;
    private @Nullable Channel asking;
    private int next;
    private boolean over;

    /** @param found the addresses that the parent may be asked for, at least one */
    ParentDial(
            EventLoop loop,
            UpstreamProfile profile,
            Parent parent,
            boolean forwarded,
            Destination destination,
            List<InetSocketAddress> found,
            Result result) {
        this.loop = loop;
        this.profile = profile;
        this.parent = parent;
        this.forwarded = forwarded;
        this.destination = destination;
        this.targets = ordered(found);
        this.result = result;
    }

    /** Puts IPv4 first: every parent supports it, and may not support IPv6. */
    private static List<InetSocketAddress> ordered(List<InetSocketAddress> found) {
        List<InetSocketAddress> targets = new ArrayList<>(found);
        targets.sort(Comparator.comparingInt(
                target -> target.isUnresolved() ? 0 : target.getAddress().getAddress().length));
        return targets;
    }

    void start() {
        InetAddress literal = parent.place().address();
        if (literal != null) {
            found(List.of(literal));
            return;
        }
        Future<List<InetAddress>> asked =
                profile.names().resolveAll(loop, parent.place().host());
        lookup = asked;
        asked.addListener((Future<List<InetAddress>> answer) -> loop.execute(() -> answered(answer)));
    }

    void cancel() {
        over = true;
        stop();
    }

    private void answered(Future<List<InetAddress>> answer) {
        lookup = null;
        if (over) {
            return;
        }
        if (answer.isSuccess()) {
            found(answer.getNow());
        } else {
            fail(DialErrors.describeLookup(answer.cause()));
        }
    }

    private void found(List<InetAddress> addresses) {
        int port = parent.place().port();
        places = addresses.stream()
                .filter(address -> !profile.guard().leadsBack(address, port))
                .map(address -> new InetSocketAddress(address, port))
                .toList();
        if (places.isEmpty()) {
            fail(addresses.isEmpty() ? "its name has no address" : "it is this proxy itself");
        } else {
            connect();
        }
    }

    private void connect() {
        HappyEyeballs started = new HappyEyeballs(
                loop, places, this::connected, cause -> fail("unreachable: " + DialErrors.describeConnect(cause)));
        race = started;
        started.start();
    }

    private void connected(Channel channel) {
        race = null;
        asking = channel;
        if (!channel.isActive()) {
            // The pipeline of a closed channel would never release the engine.
            fail("closed at once");
            return;
        }
        Destination place = parent.place();
        if (!place.secure()) {
            ask(channel);
            return;
        }
        SslHandler tls = profile.tls().newHttp1Handler(channel.alloc(), place.host(), place.port());
        tls.setHandshakeTimeoutMillis(profile.limits().tlsHandshakeTimeout().toMillis());
        channel.pipeline()
                .addLast(
                        tls,
                        new OriginTlsHandshakeHandler(
                                this::secured, cause -> fail("no TLS: " + TlsFailure.describe(cause))));
        channel.read();
    }

    private void secured(Channel channel) {
        channel.pipeline().addLast(new ParentTlsEnd());
        ask(channel);
    }

    private void ask(Channel channel) {
        if (over) {
            channel.close();
            return;
        }
        InetSocketAddress target = targets.get(next);
        if (forwarded) {
            led(channel, target);
            return;
        }
        ParentHandshake handshake;
        try {
            handshake = parent.handshake(target);
        } catch (ParentException e) {
            fail(e.message());
            return;
        }
        channel.pipeline().addLast(new ParentHandshakeHandler(handshake, ready -> led(ready, target), this::refused));
    }

    private void led(Channel channel, InetSocketAddress target) {
        asking = null;
        if (over) {
            channel.close();
        } else {
            over = true;
            result.led(channel, target);
        }
    }

    private void refused(ParentException why) {
        asking = null;
        if (over) {
            return;
        }
        if (why.why() == ParentException.Why.UNREACHABLE && next + 1 < targets.size()) {
            next++;
            connect();
            return;
        }
        boolean port = why.why() == ParentException.Why.REFUSED
                && !destination.secure()
                && !parent.scheme().isSocks();
        if (port) {
            fail(
                    UpstreamFailure.Kind.UPSTREAM_PROXY_REFUSED,
                    why.message() + " (expected: a parent that allows CONNECT to port " + destination.port()
                            + ", or resolve: remote in proxy.upstream_proxy)");
        } else {
            fail(why.message());
        }
    }

    private void fail(String why) {
        fail(UpstreamFailure.Kind.UPSTREAM_PROXY_FAILED, why);
    }

    private void fail(UpstreamFailure.Kind kind, String why) {
        if (!over) {
            over = true;
            stop();
            result.failed(kind, "parent proxy " + parent + ": " + why);
        }
    }

    private void stop() {
        Future<List<InetAddress>> asked = lookup;
        if (asked != null) {
            lookup = null;
            asked.cancel(false);
        }
        if (race != null) {
            race.cancel();
        }
        if (asking != null) {
            asking.close();
        }
    }
}

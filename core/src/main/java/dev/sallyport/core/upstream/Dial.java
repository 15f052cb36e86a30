package dev.sallyport.core.upstream;

import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to reach a destination: resolve, guard, connect, handshake. The result is called once, never from inside
 * {@link #start}, and not after {@link #cancel}. Confined to its loop.
 */
final class Dial {

    /** Where a dial ends. */
    interface Result {

        /** Connected as the profile demands; reading is off and nothing has been sent but the handshake. */
        void connected(Channel channel, UpstreamProfile profile);

        void failed(UpstreamFailure failure);
    }

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Route route;
    private final boolean http1Only;
    private final Result result;
    private @Nullable ScheduledFuture<?> limit;
    private @Nullable Future<List<InetAddress>> lookup;
    private @Nullable ConnectRace race;
    private @Nullable Channel handshaking;
    private boolean over;

    /** @param http1Only whether a TLS handshake offers nothing but HTTP/1.1 */
    Dial(EventLoop loop, UpstreamProfile profile, Route route, boolean http1Only, Result result) {
        this.loop = loop;
        this.profile = profile;
        this.route = route;
        this.http1Only = http1Only;
        this.result = result;
    }

    void start() {
        Destination destination = route.destination();
        limit = loop.schedule(
                this::tookTooLong, profile.settings().connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
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
        stop();
    }

    private void answered(Future<List<InetAddress>> answer) {
        lookup = null;
        if (over) {
            return;
        }
        if (answer.isSuccess()) {
            resolved(answer.getNow());
        } else {
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, DialErrors.describeLookup(answer.cause()));
        }
    }

    private void resolved(List<InetAddress> addresses) {
        if (over) {
            return;
        }
        int port = route.destination().port();
        List<InetSocketAddress> allowed = new ArrayList<>(addresses.size());
        for (InetAddress address : addresses) {
            if (!route.guarded() || !profile.guard().denies(address, port)) {
                allowed.add(new InetSocketAddress(address, port));
            }
        }
        if (!allowed.isEmpty()) {
            ConnectRace started = new ConnectRace(loop, allowed, this::won, this::lost);
            race = started;
            started.start();
        } else if (addresses.isEmpty()) {
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "the name has no address");
        } else {
            fail(UpstreamFailure.Kind.UPSTREAM_DENIED, "the address may not be dialled");
        }
    }

    private void won(Channel channel) {
        race = null;
        stopLimit();
        Destination destination = route.destination();
        if (!destination.secure()) {
            over = true;
            result.connected(channel, profile);
            return;
        }
        if (!channel.isActive()) {
            // The pipeline of a closed channel would never let go of the engine.
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "closed at once");
            return;
        }
        handshaking = channel;
        ByteBufAllocator allocator = channel.alloc();
        SslHandler tls = http1Only
                ? profile.tls().newHttp1Handler(allocator, destination.host(), destination.port())
                : profile.tls().newHandler(allocator, destination.host(), destination.port());
        tls.setHandshakeTimeoutMillis(profile.settings().tlsHandshakeTimeout().toMillis());
        channel.pipeline().addLast(tls, new TlsHandshake(this::shaken, this::refused));
        channel.read();
    }

    private void lost(Throwable cause) {
        race = null;
        fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, DialErrors.describeConnect(cause));
    }

    private void shaken(Channel channel) {
        handshaking = null;
        if (over) {
            channel.close();
        } else {
            over = true;
            result.connected(channel, profile);
        }
    }

    private void refused(Throwable cause) {
        handshaking = null;
        boolean onlyHttp2 = route.versions() == Route.Versions.HTTP_1_1 && TlsFailure.isNoProtocol(cause);
        fail(
                UpstreamFailure.Kind.UPSTREAM_TLS_ERROR,
                TlsFailure.describe(cause),
                onlyHttp2 ? UpstreamFailure.Repeat.OVER_HTTP2 : UpstreamFailure.Repeat.NEVER);
    }

    private void tookTooLong() {
        limit = null;
        fail(
                UpstreamFailure.Kind.UPSTREAM_UNREACHABLE,
                race == null ? "the name was not resolved in time" : "no connection in time");
    }

    private void fail(UpstreamFailure.Kind kind, String why) {
        fail(kind, why, UpstreamFailure.Repeat.NEVER);
    }

    private void fail(UpstreamFailure.Kind kind, String why, UpstreamFailure.Repeat repeat) {
        if (!over) {
            over = true;
            stop();
            result.failed(new UpstreamFailure(kind, route.destination() + ": " + why, repeat));
        }
    }

    private void stop() {
        stopLimit();
        if (lookup != null) {
            lookup.cancel(false);
        }
        if (race != null) {
            race.cancel();
        }
        if (handshaking != null) {
            handshaking.close();
        }
    }

    private void stopLimit() {
        if (limit != null) {
            limit.cancel(false);
            limit = null;
        }
    }
}

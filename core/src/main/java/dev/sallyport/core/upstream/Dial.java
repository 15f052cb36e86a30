package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.tls.TlsFailure;
import dev.sallyport.spi.Destination;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to reach a destination: resolves, checks the guard, connects (directly or through a parent proxy) and
 * performs the TLS handshake. The result is called once, never from inside {@link #start}, and not after
 * {@link #cancel}. Confined to its loop.
 */
final class Dial implements AddressSearch.Result, ParentDial.Result {

    /** Receives the outcome of a dial. */
    interface Result {

        /** Connected as the profile demands; reading is off and nothing but the handshake has been sent. */
        void connected(Channel channel, UpstreamProfile profile, OriginEndpoint endpoint);

        void failed(UpstreamFailure failure);
    }

    /** What the connection will carry. */
    enum Layer {
        /** The version of HTTP that the TLS handshake negotiates. */
        NEGOTIATED,
        /** HTTP/1.1 alone; the TLS handshake offers nothing else. */
        HTTP_1_1,
        /** As {@link #HTTP_1_1}; each half can end by itself. */
        HTTP_1_1_IN_HALVES,
        /** Bytes of the two ends: no TLS is added. */
        RAW
    }

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Route route;
    private final ParentRoute parentRoute;
    private final Layer layer;
    private final DialTimers timers;
    private final Result result;
    private final AddressSearch search;
    private @Nullable ScheduledFuture<?> limit;
    private @Nullable HappyEyeballs race;
    private @Nullable ParentDial through;
    private @Nullable Channel handshaking;
    private long stepNanos;
    private boolean over;

    Dial(
            EventLoop loop,
            UpstreamProfile profile,
            Route route,
            ParentRoute parentRoute,
            Layer layer,
            DialTimers timers,
            Result result) {
        this.loop = loop;
        this.profile = profile;
        this.route = route;
        this.parentRoute = parentRoute;
        this.layer = layer;
        this.timers = timers;
        this.result = result;
        this.search = new AddressSearch(loop, profile, route, parentRoute.parent(), this);
    }

    void start() {
        limit = loop.schedule(
                this::tookTooLong, profile.limits().connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
        search.start();
    }

    void cancel() {
        over = true;
        stop();
    }

    @Override
    public void found(List<InetSocketAddress> addresses) {
        stepNanos = System.nanoTime();
        Parent parent = parentRoute.parent();
        if (parent != null) {
            ParentDial started = new ParentDial(
                    loop, profile, parent, parentRoute.forwarded(), route.destination(), addresses, this);
            through = started;
            started.start();
            return;
        }
        HappyEyeballs started = new HappyEyeballs(loop, addresses, this::won, this::lost);
        race = started;
        started.start();
    }

    @Override
    public void led(Channel channel, InetSocketAddress target) {
        through = null;
        connected(channel, new OriginEndpoint(target, parentRoute.parent()));
    }

    /** A failure of the search or of the parent. */
    @Override
    public void failed(UpstreamFailure.Kind kind, String why) {
        fail(kind, why);
    }

    private void won(Channel channel) {
        race = null;
        connected(channel, OriginEndpoint.directly(channel));
    }

    private void connected(Channel channel, OriginEndpoint endpoint) {
        stopLimit();
        timers.connect().since(stepNanos, true);
        Destination destination = route.destination();
        if (!destination.secure() || layer == Layer.RAW) {
            over = true;
            result.connected(channel, profile, endpoint);
            return;
        }
        if (!channel.isActive()) {
            // The pipeline of a closed channel would never release the engine.
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "closed at once");
            return;
        }
        handshaking = channel;
        stepNanos = System.nanoTime();
        SslHandler tls = tls(channel.alloc(), destination);
        tls.setHandshakeTimeoutMillis(profile.limits().tlsHandshakeTimeout().toMillis());
        channel.pipeline()
                .addLast(OriginTlsHandshakeHandler.TLS, tls)
                .addLast(new OriginTlsHandshakeHandler(
                        ready -> shaken(ready, tls, endpoint),
                        cause -> refused(cause, profile.tls().askedInVain(tls))));
        channel.read();
    }

    private SslHandler tls(ByteBufAllocator allocator, Destination destination) {
        String host = destination.host();
        int port = destination.port();
        return switch (layer) {
            case NEGOTIATED, RAW -> profile.tls().newHandler(allocator, host, port);
            case HTTP_1_1 -> profile.tls().newHttp1Handler(allocator, host, port);
            case HTTP_1_1_IN_HALVES -> profile.tls().newHandlerOfHalves(allocator, host, port);
        };
    }

    private void lost(Throwable cause) {
        race = null;
        timers.connect().since(stepNanos, false);
        fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, DialErrors.describeConnect(cause));
    }

    private void shaken(Channel channel, SslHandler tls, OriginEndpoint endpoint) {
        handshaking = null;
        if (profile.tls().askedInVain(tls)) {
            OriginTlsHandshakeHandler.askedInVain(channel);
        }
        timers.handshake().since(stepNanos, true);
        if (over) {
            channel.close();
        } else {
            over = true;
            result.connected(channel, profile, endpoint);
        }
    }

    private void refused(Throwable cause, boolean askedInVain) {
        handshaking = null;
        timers.handshake().since(stepNanos, false);
        boolean onlyHttp2 = route.versions().isHttp1Alone() && TlsFailure.isNoProtocol(cause);
        fail(
                askedInVain && !TlsFailure.isOfCertificate(cause)
                        ? UpstreamFailure.Kind.UPSTREAM_WANTS_CLIENT_CERTIFICATE
                        : UpstreamFailure.Kind.UPSTREAM_TLS_ERROR,
                TlsFailure.describe(cause),
                onlyHttp2 ? UpstreamFailure.Repeat.OVER_HTTP2 : UpstreamFailure.Repeat.NEVER);
    }

    private void tookTooLong() {
        limit = null;
        if (race != null || through != null) {
            timers.connect().since(stepNanos, false);
        }
        Parent parent = parentRoute.parent();
        if (through != null && parent != null) {
            fail(
                    UpstreamFailure.Kind.UPSTREAM_PROXY_FAILED,
                    "parent proxy " + parent + ": no connection through it in time");
            return;
        }
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
        search.cancel();
        if (race != null) {
            race.cancel();
        }
        if (through != null) {
            through.cancel();
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

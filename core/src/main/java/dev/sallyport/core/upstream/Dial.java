package dev.sallyport.core.upstream;

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
 * One attempt to reach a destination: resolve, guard, connect, handshake. The result is called once, never from inside
 * {@link #start}, and not after {@link #cancel}. Confined to its loop.
 */
final class Dial implements AddressSearch.Result {

    /** Receives the outcome of a dial. */
    interface Result {

        /** Connected as the profile demands; reading is off and nothing but the handshake has been sent. */
        void connected(Channel channel, UpstreamProfile profile);

        void failed(UpstreamFailure failure);
    }

    private final EventLoop loop;
    private final UpstreamProfile profile;
    private final Route route;
    private final boolean http1Only;
    private final Result result;
    private final AddressSearch search;
    private @Nullable ScheduledFuture<?> limit;
    private @Nullable HappyEyeballs race;
    private @Nullable Channel handshaking;
    private boolean over;

    /** @param http1Only whether a TLS handshake offers nothing but HTTP/1.1 */
    Dial(EventLoop loop, UpstreamProfile profile, Route route, boolean http1Only, Result result) {
        this.loop = loop;
        this.profile = profile;
        this.route = route;
        this.http1Only = http1Only;
        this.result = result;
        this.search = new AddressSearch(loop, profile, route, this);
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
        HappyEyeballs started = new HappyEyeballs(loop, addresses, this::won, this::lost);
        race = started;
        started.start();
    }

    @Override
    public void failed(UpstreamFailure.Kind kind, String why) {
        fail(kind, why);
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
            // The pipeline of a closed channel would never release the engine.
            fail(UpstreamFailure.Kind.UPSTREAM_UNREACHABLE, "closed at once");
            return;
        }
        handshaking = channel;
        ByteBufAllocator allocator = channel.alloc();
        SslHandler tls = http1Only
                ? profile.tls().newHttp1Handler(allocator, destination.host(), destination.port())
                : profile.tls().newHandler(allocator, destination.host(), destination.port());
        tls.setHandshakeTimeoutMillis(profile.limits().tlsHandshakeTimeout().toMillis());
        channel.pipeline().addLast(tls, new OriginTlsHandshakeHandler(this::shaken, this::refused));
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
        search.cancel();
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

package dev.sallyport.core.upstream;

import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.spi.Destination;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.toolkit.match.CidrSet;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/** Pools on one loop, and what tests do with them. Nothing is guarded unless a test says so. */
final class Client implements AutoCloseable {

    static final DialGuard NO_GUARD = new DialGuard(CidrSet.of(List.of()), List.of());
    static final Object SOMEBODY = new Object();
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    final EventLoops loops;
    final EventLoop loop;
    final UpstreamPools pools;

    /** Limits that tests change one of. */
    static final class Limits {
        Duration connect = Duration.ofSeconds(20);
        Duration handshake = Duration.ofSeconds(20);
        Duration head = Duration.ofSeconds(20);
        Duration body = Duration.ofSeconds(20);
        Duration idle = Duration.ofMinutes(1);
        Duration age = Duration.ofMinutes(10);
        Duration wait = Duration.ofSeconds(20);
        int keptIdle = 100;
        int perOrigin = 100;
        int waiting = 100;
        Parents parents = Parents.NONE;

        UpstreamProfile profile(NameLookup names, ClientTls tls, DialGuard guard) {
            ProxySection.Upstream upstream = new ProxySection.Upstream(
                    connect, handshake, body, idle, age, keptIdle, perOrigin, waiting, wait, new ByteSize(8192));
            return new UpstreamProfile(upstream, new OriginTimeouts(head, body), names, tls, guard, parents);
        }
    }

    static Client plain() {
        return with(limits -> limits);
    }

    static Client with(UnaryOperator<Limits> change) {
        return new Client(profile(change, null));
    }

    static UpstreamProfile profile(UnaryOperator<Limits> change, ClientTls tls) {
        return change.apply(new Limits())
                .profile((loop, host) -> loop.newSucceededFuture(List.of(LOOPBACK)), tls, NO_GUARD);
    }

    Client(UpstreamProfile profile) {
        this(profile, EventLoops.create(1));
    }

    /** Takes ownership of the loops. */
    Client(UpstreamProfile profile, EventLoops loops) {
        this.loops = loops;
        loop = loops.group().next();
        pools = new UpstreamPools(profile);
    }

    static Route route(int port) {
        return route(port, SOMEBODY);
    }

    /** Of this client of the proxy. */
    static Route route(int port, Object client) {
        return Route.chosenByWorkload(Destination.named("origin.test", port, false), "ci", client);
    }

    /** Opens and waits for the listener to be ready. */
    Recorder ready(Route route) {
        Recorder recorder = new Recorder();
        open(route, recorder);
        recorder.await(Recorder.Ready.class);
        return recorder;
    }

    Runnable open(Route route, UpstreamListener listener) {
        return open(loop, route, listener);
    }

    Runnable open(EventLoop on, Route route, UpstreamListener listener) {
        Runnable cancel = on(on, () -> pools.open(on, route, listener));
        return () -> on(on, () -> {
            cancel.run();
            return null;
        });
    }

    /** Sends a request without body. */
    Recorder send(Route route, String method, String... fields) {
        Recorder recorder = ready(route);
        run(() -> recorder.stream.head(head(method, 0, fields), true));
        return recorder;
    }

    /** A GET whose response is read to its end. */
    String get(Route route) {
        Recorder recorder = send(route, "GET");
        recorder.await(Recorder.Head.class);
        return recorder.await(Recorder.Ended.class).body();
    }

    /** A port that nobody listens on. */
    static int unusedPort() {
        return Ports.unused();
    }

    static RequestMessage head(String method, long length, String... fields) {
        HeaderBlock headers = new HeaderBlock();
        headers.append("Host", "origin.test");
        for (int i = 0; i < fields.length; i += 2) {
            headers.append(fields[i], fields[i + 1]);
        }
        return new RequestMessage(method, "/path", null, headers, length);
    }

    void data(Recorder recorder, String text) {
        run(() -> recorder.stream.data(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1)));
    }

    void end(Recorder recorder, String... trailers) {
        HeaderBlock block = new HeaderBlock(4);
        for (int i = 0; i < trailers.length; i += 2) {
            block.append(trailers[i], trailers[i + 1]);
        }
        run(() -> recorder.stream.end(block));
    }

    void run(Runnable task) {
        on(loop, () -> {
            task.run();
            return null;
        });
    }

    static <T> T on(EventLoop loop, Callable<T> task) {
        return loop.submit(task).syncUninterruptibly().getNow();
    }

    @Override
    public void close() {
        pools.close();
        loops.close();
    }
}

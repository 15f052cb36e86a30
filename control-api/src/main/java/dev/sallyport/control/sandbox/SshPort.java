package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.SshEndpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The port of one VM: who connects to it talks to the guest's sshd, while the guest runs, and is turned away otherwise.
 * Thread-safe; never blocks.
 */
final class SshPort {

    private static final int CONNECT_MILLIS = 5_000;
    /** New connections a second, after a burst of as many as may be open. */
    private static final double ATTEMPTS_PER_SECOND = 10;

    private final int most;
    private final Clock clock;
    private final Keepalive keepalive;
    private final Set<Channel> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    private volatile @Nullable Channel listener;
    private volatile @Nullable SshEndpoint target;
    private volatile long usedAt;
    private double attempts;
    private long attemptsAt = System.nanoTime();

    /**
     * Of a VM.
     *
     * @param most how many connections it has at a time
     * @param keepalive how clients and guests that have vanished are noticed, which would keep their places for ever
     */
    SshPort(int most, Clock clock, Keepalive keepalive) {
        this.most = most;
        this.clock = clock;
        this.keepalive = keepalive;
        this.attempts = most;
        this.usedAt = clock.millis();
    }

    void listener(Channel bound) {
        listener = bound;
    }

    /** The port that it is bound to. */
    boolean isBound() {
        return listener != null;
    }

    /** Leads to this sshd from now on; null to none, which ends what is open. */
    void lead(@Nullable SshEndpoint endpoint) {
        if (target == null && endpoint != null) {
            usedAt = clock.millis();
        }
        target = endpoint;
        if (endpoint == null) {
            clients.forEach(Channel::close);
        }
    }

    /** When somebody was logged in last, in milliseconds since the epoch; now while somebody is. */
    long usedAt() {
        return open.get() > 0 ? clock.millis() : usedAt;
    }

    /** For each connection that is accepted. */
    ChannelHandler acceptor() {
        return new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel client) {
                accept(client);
            }
        };
    }

    private void accept(SocketChannel client) {
        SshEndpoint guest = target;
        if (guest == null || !mayConnect()) {
            client.config().setSoLinger(0);
            client.close();
            return;
        }
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            client.close();
            return;
        }
        keepalive.watch(client);
        clients.add(client);
        client.closeFuture().addListener(closed -> {
            clients.remove(client);
            usedAt = clock.millis();
            open.decrementAndGet();
        });
        connect(client, guest);
    }

    /** A bucket of attempts: guesses of passwords and scans cost the guest's sshd a process each. */
    private synchronized boolean mayConnect() {
        long now = System.nanoTime();
        attempts = Math.min(most, attempts + (now - attemptsAt) / 1e9 * ATTEMPTS_PER_SECOND);
        attemptsAt = now;
        if (attempts < 1) {
            return false;
        }
        attempts--;
        return true;
    }

    /** The client is not read before the guest has taken the connection. */
    private void connect(SocketChannel client, SshEndpoint guest) {
        ChannelFuture connected = new Bootstrap()
                .group(client.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel server) {
                        keepalive.watch(server);
                        server.pipeline().addLast(new SshRelay(client));
                    }
                })
                .connect(guest.host(), guest.port());
        SocketChannel server = (SocketChannel) connected.channel();
        client.pipeline().addLast(new SshRelay(server));
        connected.addListener(done -> {
            if (!done.isSuccess() || !client.isActive()) {
                server.close();
                client.close();
                return;
            }
            server.config().setAutoRead(true);
            client.config().setAutoRead(true);
        });
    }

    /** Ends it with what is open. */
    void close() {
        lead(null);
        Channel bound = listener;
        if (bound != null) {
            bound.close().syncUninterruptibly();
        }
    }
}

package dev.sallyport.core.net;

import dev.sallyport.core.config.BindErrors;
import dev.sallyport.core.config.ProxySection.Transparent;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.spi.ListenerKind;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of one proxy and their connections. Thread-safe. The caller owns the loops and the services in the
 * settings, which must live longer.
 */
public final class Listeners {

    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(32 * 1024, 128 * 1024);
    private static final int BACKLOG = 1024;

    private final EventLoops loops;
    private final ClientConnections connections;
    private final List<Listener> bound = new CopyOnWriteArrayList<>();
    private final List<Listener> adopted = new CopyOnWriteArrayList<>();
    private volatile ConnectionSettings connectionSettings;

    /** Makes listeners without binding any. */
    public Listeners(EventLoops loops, ConnectionSettings connectionSettings) {
        this.loops = loops;
        this.connectionSettings = connectionSettings;
        this.connections = new ClientConnections(connectionSettings.limits(), this::acceptMore);
    }

    /**
     * Binds one more listener; blocks until it is bound. Connections wait in the kernel's queue until {@link #accept}.
     * Not to be called on an event loop.
     *
     * @throws ListenException when the address cannot be bound; the other listeners stay
     */
    public Listener bind(ListenerSettings settings) throws ListenException {
        InetSocketAddress address = settings.address();
        if (address.isUnresolved()) {
            throw new ListenException(at(settings) + ": unknown host (expected: an address of this machine)", null);
        }
        if (settings.transparent() != Transparent.OFF && !loops.isEpoll()) {
            throw new ListenException(
                    at(settings) + ": transparent use needs Linux and its native transport (expected: off)", null);
        }
        ChannelFuture future = bootstrap(settings)
                .channel(loops.serverChannelType())
                .bind(address)
                .awaitUninterruptibly();
        Throwable cause = future.cause();
        if (cause != null) {
            throw new ListenException(at(settings) + ": " + BindErrors.reason(cause), cause);
        }
        Listener listener = new Listener(settings.kind(), future.channel());
        bound.add(listener);
        LOG.info("listening on {} ({})", NetUtil.toSocketAddressString(listener.address()), name(settings.kind()));
        return listener;
    }

    /**
     * Accepts from a TCP socket that listens already, in whichever network namespace, and closes it with the others. The
     * address at which a client arrives is the destination that it meant. Linux only; blocks. Not to be called on an
     * event loop.
     *
     * @param kind what is recorded as its kind; the first bytes of a connection tell its protocol
     * @param descriptor of the socket, owned by these listeners from now on
     * @throws ListenException when it cannot be used
     */
    public void adopt(ListenerKind kind, int descriptor) throws ListenException {
        if (!loops.isEpoll()) {
            throw new ListenException("a socket of another namespace needs Linux and its native transport", null);
        }
        EpollServerSocketChannel socket = new EpollServerSocketChannel(descriptor);
        ChannelFuture future = bootstrap(ListenerSettings.adopted(kind, socket.localAddress()))
                .channelFactory(() -> socket)
                .register()
                .awaitUninterruptibly();
        if (!future.isSuccess()) {
            throw new ListenException("a socket of another namespace: " + future.cause(), future.cause());
        }
        Listener listener = new Listener(kind, socket);
        adopted.add(listener);
        listener.acceptMore();
    }

    /** Starts accepting connections on all bound listeners. */
    public void accept() {
        acceptMore();
    }

    /** Changes the settings for new connections; open ones keep theirs. */
    public void reconfigure(ConnectionSettings next) {
        connectionSettings = next;
        connections.reconfigure(next.limits());
    }

    /** The bound listeners, in the order of binding; without adopted ones, whose addresses mean nothing here. */
    public List<Listener> bound() {
        return List.copyOf(bound);
    }

    /** How many connections are open. */
    public int connections() {
        return connections.count();
    }

    /**
     * Stops accepting, closes idle connections, lets exchanges in progress finish (their responses say {@code
     * Connection: close}) and closes the remaining connections after this time. Completes when the last connection has
     * closed, on any thread.
     */
    public CompletionStage<DrainReport> shutdown(Duration limit) {
        connections.announce();
        CompletableFuture<?>[] closed = Stream.concat(bound.stream(), adopted.stream())
                .map(Listener::close)
                .toArray(CompletableFuture<?>[]::new);
        // A listener on a loop that is blocked does not keep the others from draining.
        return CompletableFuture.allOf(closed)
                .completeOnTimeout(null, 1, TimeUnit.SECONDS)
                .thenCompose(ignored -> connections.drain(limit));
    }

    private ServerBootstrap bootstrap(ListenerSettings settings) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops.group())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.RECVBUF_ALLOCATOR, EventLoops.manyAtOnce())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .handler(new Doorkeeper())
                .childHandler(new ClientChannelInitializer(() -> connectionSettings, connections, settings));
        if (settings.transparent() == Transparent.TPROXY) {
            bootstrap.option(EpollChannelOption.IP_TRANSPARENT, true);
        }
        return bootstrap;
    }

    /** Counts connections as they are accepted, before a loop has them. */
    @Sharable
    private final class Doorkeeper extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object accepted) {
            if (!connections.add((Channel) accepted)) {
                ((Channel) accepted).unsafe().closeForcibly(); // no loop has it that could close it
                return;
            }
            if (connections.full()) {
                pause(ctx.channel());
            }
            ctx.fireChannelRead(accepted);
        }
    }

    /** New connections wait in the kernel's queue until a connection closes. */
    private void pause(Channel listener) {
        listener.config().setAutoRead(false);
        if (!connections.full()) {
            acceptMore();
        }
    }

    private void acceptMore() {
        bound.forEach(Listener::acceptMore);
        adopted.forEach(Listener::acceptMore);
    }

    private static String at(ListenerSettings settings) {
        InetSocketAddress address = settings.address();
        return name(settings.kind()) + " " + address.getHostString() + ":" + address.getPort();
    }

    private static String name(ListenerKind kind) {
        return switch (kind) {
            case HTTP -> "http_listen";
            case HTTPS -> "https_listen";
            case TUNNEL -> "tunnel_listen";
        };
    }
}

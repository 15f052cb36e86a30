package dev.sallyport.server.http;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.server.Failure;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An address of the server itself that speaks HTTP/1.1, on a thread of its own, so that it answers while the proxy's
 * loops are busy. Few clients are expected: connections, heads and waiting are bounded.
 */
public final class HttpListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    /** Beyond these, a connection is closed when it is accepted. */
    private static final int MAX_CONNECTIONS = 256;

    private static final int MAX_LINE = 8 * 1024;
    private static final int MAX_HEADERS = 16 * 1024;

    /** The longest time for which a client may leave unread what is written for it. */
    private static final int UNREAD_SECONDS = 30;

    private final String field;
    private final String thread;
    private final Supplier<? extends ChannelHandler> handlers;
    private final AtomicInteger connections = new AtomicInteger();
    private volatile @Nullable EventLoopGroup loop;
    private volatile @Nullable Channel listener;
    private volatile @Nullable InetSocketAddress address;

    /**
     * @param field the field of the configuration that names the address
     * @param thread the name of its thread
     * @param handlers makes the handler of a connection, behind a {@link RequestTimer} and Netty's codec
     */
    public HttpListener(String field, String thread, Supplier<? extends ChannelHandler> handlers) {
        this.field = field;
        this.thread = thread;
        this.handlers = handlers;
    }

    /** Binds; blocks. */
    public void start(ListenAddress listen) throws Failure {
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(thread, true), NioIoHandler.newFactory());
        loop = group;
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(channel);
                    }
                })
                .bind(listen.toSocketAddress())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new Failure(field + " " + listen + ": " + reason(bound.cause()));
        }
        listener = bound.channel();
        InetSocketAddress local = (InetSocketAddress) bound.channel().localAddress();
        address = local;
        LOG.info("listening on {} ({})", NetUtil.toSocketAddressString(local), field);
    }

    private void accepted(SocketChannel channel) {
        channel.closeFuture().addListener(closed -> connections.decrementAndGet());
        if (connections.incrementAndGet() > MAX_CONNECTIONS) {
            LOG.debug("{}: too many connections", field);
            channel.close();
            return;
        }
        HttpDecoderConfig limits =
                new HttpDecoderConfig().setMaxInitialLineLength(MAX_LINE).setMaxHeaderSize(MAX_HEADERS);
        channel.pipeline()
                .addLast(new WriteTimeoutHandler(UNREAD_SECONDS))
                .addLast(new RequestTimer())
                .addLast(new HttpServerCodec(limits))
                .addLast(handlers.get());
    }

    private static String reason(Throwable cause) {
        String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return message.contains("in use") ? "the port is taken" : message;
    }

    /** Its event loop, once started. */
    public Executor loop() {
        return Objects.requireNonNull(loop, "not started").next();
    }

    /** Where it is bound, or null. */
    public @Nullable InetSocketAddress address() {
        return address;
    }

    /** Idempotent; blocks until the port is free. */
    @Override
    public void close() {
        EventLoopGroup group = loop;
        if (group == null || group.isShuttingDown()) {
            return;
        }
        Channel listening = listener;
        if (listening != null) {
            // Not left to the loop: one without a quiet period may end without closing its channels.
            listening.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}

package dev.sallyport.core.tls;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Holds each ClientHello until its leaf is there, as the proxy does, then terminates TLS and says one byte. */
final class LeafServer implements AutoCloseable {

    /** What it says once the handshake is over. */
    static final int GREETING = 'S';

    /** The names in the ClientHellos, in order; empty where there was none. */
    final Queue<String> names = new ConcurrentLinkedQueue<>();

    /** What went wrong in handshakes. */
    final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup children = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final ServerTls tls;
    private final Channel channel;
    private volatile Function<String, CompletionStage<LeafCertificate>> leaves;

    LeafServer(TlsProvider provider, List<String> alpn, Function<String, CompletionStage<LeafCertificate>> leaves) {
        this.tls = new ServerTls(provider, alpn);
        this.leaves = leaves;
        this.channel = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        children.add(child);
                        child.pipeline().addLast(new Hello(), new Greeter());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** From now on shows these. */
    void show(Function<String, CompletionStage<LeafCertificate>> newLeaves) {
        leaves = newLeaves;
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        children.close().syncUninterruptibly();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        tls.close();
    }

    private final class Hello extends AbstractSniHandler<LeafCertificate> {

        @Override
        protected Future<LeafCertificate> lookup(ChannelHandlerContext context, @Nullable String hostname) {
            String name = hostname == null ? "" : hostname;
            names.add(name);
            Promise<LeafCertificate> promise = context.executor().newPromise();
            leaves.apply(name).whenComplete((leaf, failure) -> {
                if (failure == null) {
                    promise.setSuccess(leaf);
                } else {
                    promise.setFailure(failure);
                }
            });
            return promise;
        }

        @Override
        protected void onLookupComplete(
                ChannelHandlerContext context, @Nullable String hostname, Future<LeafCertificate> future) {
            context.pipeline().replace(this, "tls", tls.newHandler(context.alloc(), future.getNow()));
        }
    }

    private final class Greeter extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                if (handshake.isSuccess()) {
                    context.writeAndFlush(context.alloc().buffer(1).writeByte(GREETING));
                } else {
                    failures.add(handshake.cause());
                    context.close();
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}

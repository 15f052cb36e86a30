package dev.sallyport.core.upstream;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the first address that accepts (RFC 8305, 5): tries them in order, starting the next when the previous
 * one has failed or has been pending for 250 ms. Closes the other connections. Ends in won, lost or cancelled; sets no
 * time limit. Confined to its loop.
 */
final class HappyEyeballs {

    private static final long ATTEMPT_DELAY_MILLIS = 250;

    private final EventLoop loop;
    private final List<InetSocketAddress> addresses;
    private final Consumer<Channel> won;
    private final Consumer<Throwable> lost;
    private final List<Channel> connecting = new ArrayList<>(2);
    private int next;
    private @Nullable ScheduledFuture<?> stagger;
    private boolean over;

    HappyEyeballs(EventLoop loop, List<InetSocketAddress> addresses, Consumer<Channel> won, Consumer<Throwable> lost) {
        this.loop = loop;
        this.addresses = addresses;
        this.won = won;
        this.lost = lost;
    }

    void start() {
        attempt();
    }

    void cancel() {
        over = true;
        stopStagger();
        List.copyOf(connecting).forEach(Channel::close);
    }

    private void attempt() {
        ChannelFuture attempt = bootstrap(loop).connect(addresses.get(next++));
        connecting.add(attempt.channel());
        if (next < addresses.size()) {
            stagger = loop.schedule(this::attempt, ATTEMPT_DELAY_MILLIS, TimeUnit.MILLISECONDS);
        }
        attempt.addListener((ChannelFuture done) -> ended(done));
    }

    private void ended(ChannelFuture attempt) {
        connecting.remove(attempt.channel());
        if (over) {
            attempt.channel().close();
        } else if (attempt.isSuccess()) {
            cancel();
            won.accept(attempt.channel());
        } else {
            stopStagger();
            if (next < addresses.size()) {
                attempt();
            } else if (connecting.isEmpty()) {
                over = true;
                lost.accept(attempt.cause());
            }
        }
    }

    private void stopStagger() {
        if (stagger != null) {
            stagger.cancel(false);
            stagger = null;
        }
    }

    /**
     * Reading is on demand. A failed write does not close the channel: an origin may respond early and stop reading,
     * and its response must still be read.
     */
    private static Bootstrap bootstrap(EventLoop loop) {
        return new Bootstrap()
                .group(loop)
                .channelFactory(() -> newChannel(loop))
                .disableResolver()
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.AUTO_CLOSE, false)
                .handler(new ChannelInboundHandlerAdapter());
    }

    private static SocketChannel newChannel(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class)
                ? new EpollSocketChannel()
                : new NioSocketChannel();
    }
}

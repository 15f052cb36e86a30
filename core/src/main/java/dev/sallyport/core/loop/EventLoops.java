package dev.sallyport.core.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loops of one proxy: epoll where available, otherwise NIO. A new channel goes to the loop with the fewest.
 * The creator closes them. Thread-safe.
 */
public final class EventLoops implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EventLoops.class);

    /** The connections that a listener accepts in one pass of its loop. */
    private static final int MOST_ACCEPTED = 64;

    private static final Duration TO_BE_TOLD = Duration.ofSeconds(1);
    private static final Duration TO_END = Duration.ofSeconds(15);
    private static final Duration BLOCKED_TO_END = Duration.ofMillis(500);

    private final LeastLoadedLoopGroup group;
    private final boolean epoll;

    private EventLoops(LeastLoadedLoopGroup group, boolean epoll) {
        this.group = group;
        this.epoll = epoll;
    }

    /** This many loops; 0 means one for each processor. */
    public static EventLoops create(int threads) {
        return create("sallyport-loop", threads, Epoll.isAvailable());
    }

    /** One loop for a purpose of its own, on a thread with this name. */
    public static EventLoops single(String thread) {
        return create(thread, 1, Epoll.isAvailable());
    }

    /** As {@link #create(int)}, but without native transport. */
    public static EventLoops createNio(int threads) {
        return create("sallyport-loop", threads, false);
    }

    private static EventLoops create(String name, int threads, boolean epoll) {
        int count = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
        var executor = new ThreadPerTaskExecutor(new DefaultThreadFactory(name));
        IoHandlerFactory factory = epoll ? new HalfClosedEpoll() : NioIoHandler.newFactory();
        return new EventLoops(new LeastLoadedLoopGroup(count, executor, factory), epoll);
    }

    /** The loops. */
    public EventLoopGroup group() {
        return group;
    }

    /** The loops, one by one. */
    public List<EventLoop> all() {
        List<EventLoop> all = new ArrayList<>();
        for (EventExecutor executor : group) {
            all.add((EventLoop) executor);
        }
        return all;
    }

    /** Whether the loops use Linux's epoll. */
    public boolean isEpoll() {
        return epoll;
    }

    /** The channel type for outgoing connections. */
    public Class<? extends SocketChannel> channelType() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** The channel type for listeners. */
    public Class<? extends ServerSocketChannel> serverChannelType() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /**
     * Lets a listener accept, in one pass of its loop, as many as wait: for {@code ChannelOption.RECVBUF_ALLOCATOR}. By
     * itself it accepts one in each pass (Netty 4.2.18 with epoll takes the new descriptor for a number of bytes, and
     * concludes from it that there are no more).
     */
    public static RecvByteBufAllocator manyAtOnce() {
        return new ServerChannelRecvByteBufAllocator()
                .respectMaybeMoreData(false)
                .maxMessagesPerRead(MOST_ACCEPTED);
    }

    /**
     * Closes what is still open and ends the threads; waits for them, except for one that is blocked for good. Must not
     * be called on one of the loops. Idempotent.
     */
    @Override
    public void close() {
        close(TO_END);
    }

    /** As {@link #close()}, with a limit for each of its two waits. */
    public void close(Duration limit) {
        boolean told = group.isShuttingDown() || group.closeChannels(atMost(TO_BE_TOLD, limit));
        Duration toEnd = told ? atMost(TO_END, limit) : atMost(BLOCKED_TO_END, limit);
        if (!group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                .awaitUninterruptibly(toEnd.toMillis(), TimeUnit.MILLISECONDS)) {
            LOG.error("an event loop does not end; its thread stays until the process ends");
        }
    }

    private static Duration atMost(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}

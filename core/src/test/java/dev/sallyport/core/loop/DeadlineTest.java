package dev.sallyport.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DeadlineTest {

    private static final Duration SOON = Duration.ofMillis(20);
    private static final long LONG_ENOUGH_MILLIS = 300;

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = loops.next();
    private final AtomicInteger rung = new AtomicInteger();
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private final Deadline deadline = new Deadline(loop, () -> {
        rung.incrementAndGet();
        first.complete(null);
    });

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void runsTheActionOnce() throws Exception {
        loop.execute(() -> deadline.in(SOON));

        first.get();
        loop.schedule(() -> {}, 100, TimeUnit.MILLISECONDS).get();
        assertThat(rung).hasValue(1);
    }

    @Test
    void isMovedAndClearedBeforeItIsReached() throws Exception {
        loop.submit(() -> {
                    deadline.in(SOON);
                    deadline.in(Duration.ofHours(1));
                })
                .get();
        loop.schedule(() -> {}, 100, TimeUnit.MILLISECONDS).get();
        assertThat(rung).hasValue(0);

        loop.submit(() -> {
                    deadline.in(SOON);
                    deadline.clear();
                })
                .get();
        loop.schedule(() -> {}, 100, TimeUnit.MILLISECONDS).get();
        assertThat(rung).hasValue(0);

        loop.execute(() -> deadline.in(SOON));
        first.get();
    }

    @Test
    void runsTheActionOfALoopThatWasBusyToo() throws Exception {
        loop.execute(() -> {
            deadline.in(SOON);
            pause();
        });

        first.get();
    }

    /** The loop is busy with one connection while the deadline of another passes, whose bytes came in time. */
    @Test
    void isNotReachedByWhatWaitsInTheSocketOfABusyLoop() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        AtomicBoolean read = new AtomicBoolean();
        CompletableFuture<Void> taken = new CompletableFuture<>();
        Channel listener = listener(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf in) throws InterruptedException {
                        if (in.getByte(in.readerIndex()) == 'a') {
                            deadline.in(SOON);
                            busy.countDown();
                            sent.await();
                            pause();
                        } else {
                            deadline.clear();
                            read.set(true);
                            taken.complete(null);
                        }
                    }
                });
            }
        });
        try (Socket one = connect(listener);
                Socket other = connect(listener)) {
            // when
            one.getOutputStream().write('a');
            busy.await();
            other.getOutputStream().write('b');
            sent.countDown();

            // then
            taken.get();
            loop.schedule(() -> {}, 100, TimeUnit.MILLISECONDS).get();
            assertThat(rung).hasValue(0);
            assertThat(read).isTrue();
        }
    }

    private Channel listener(ChannelInitializer<Channel> connections) {
        return new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(connections)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    private static Socket connect(Channel listener) throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        return new Socket(address.getAddress(), address.getPort());
    }

    private static void pause() {
        try {
            Thread.sleep(LONG_ENOUGH_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.sallyport.core.dns;

import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One question sent upstream. Every attempt has its own connected socket, on a random port chosen by the kernel, and
 * its own identifier: a forged answer must guess both.
 */
final class ForwardedQuery {

    private static final int LARGEST_DATAGRAM = 4096;
    private static final int LEAST_ATTEMPTS = 2;
    private static final int MOST_ATTEMPTS = 4;

    private final Forwarder forwarder;
    private final List<InetSocketAddress> servers;
    private final byte[] question;
    private final Consumer<byte @Nullable []> result;
    private final long limitNanos;
    private final int attempts;
    private byte[] asked;
    private int attempt = -1;
    private byte @Nullable [] secondBest;
    private @Nullable Channel channel;
    private @Nullable ScheduledFuture<?> timer;
    private boolean over;

    ForwardedQuery(
            Forwarder forwarder,
            List<InetSocketAddress> servers,
            byte[] question,
            Duration limit,
            Consumer<byte @Nullable []> result) {
        this.forwarder = forwarder;
        this.servers = servers;
        this.question = question;
        this.asked = question;
        this.result = result;
        this.limitNanos = limit.toNanos();
        this.attempts = Math.min(MOST_ATTEMPTS, Math.max(LEAST_ATTEMPTS, servers.size()));
    }

    void start() {
        forwarder.loop().execute(this::nextAttempt);
    }

    void cancel() {
        over = true;
        stop();
        forwarder.over(this);
    }

    private void nextAttempt() {
        stop();
        if (over) {
            return;
        }
        attempt++;
        if (attempt == attempts || servers.isEmpty()) {
            finish(secondBest);
            return;
        }
        asked = UpstreamQuestion.withId(question, forwarder.newId());
        timer = forwarder.loop().schedule(this::nextAttempt, limitNanos / attempts, TimeUnit.NANOSECONDS);
        connect(overUdp());
    }

    private InetSocketAddress server() {
        return servers.get(attempt % servers.size());
    }

    private Bootstrap overUdp() {
        return new Bootstrap()
                .channel(forwarder.transport().datagram())
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(LARGEST_DATAGRAM))
                .handler(new Datagrams());
    }

    private Bootstrap overTcp() {
        return new Bootstrap().channel(forwarder.transport().stream()).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel made) {
                made.pipeline()
                        .addLast(new LengthFieldBasedFrameDecoder(DnsProtocol.MAX_MESSAGE, 0, 2, 0, 2), new Frames());
            }
        });
    }

    private void connect(Bootstrap bootstrap) {
        ChannelFuture connecting = bootstrap.group(forwarder.loop()).connect(server());
        channel = connecting.channel();
        connecting.addListener((ChannelFuture done) -> connected(done));
    }

    private void connected(ChannelFuture done) {
        if (!done.channel().equals(channel)) {
            done.channel().close();
        } else if (done.isSuccess()) {
            ByteBuf message = Unpooled.wrappedBuffer(asked);
            boolean datagram = done.channel().pipeline().get(Datagrams.class) != null;
            done.channel()
                    .writeAndFlush(datagram ? message : Unpooled.wrappedBuffer(lengthOf(asked), message))
                    .addListener(sent -> {
                        if (!sent.isSuccess()) {
                            failed(done.channel());
                        }
                    });
        } else {
            nextAttempt();
        }
    }

    private static ByteBuf lengthOf(byte[] message) {
        return Unpooled.copyShort(message.length);
    }

    /** Nobody listens there, or the connection broke: stop waiting. */
    private void failed(Channel from) {
        if (from.equals(channel)) {
            nextAttempt();
        }
    }

    /** Anything may arrive. Messages that do not answer the question are ignored. */
    private void received(Channel from, ByteBuf data) {
        byte[] message = ByteBufUtil.getBytes(data);
        if (over || !from.equals(channel) || !UpstreamMessage.answers(message, asked)) {
            return;
        }
        boolean datagram = from.pipeline().get(Datagrams.class) != null;
        int rcode = UpstreamMessage.rcode(message);
        if (datagram && UpstreamMessage.truncated(message)) {
            from.close();
            connect(overTcp());
        } else if ((rcode == DnsProtocol.SERVFAIL || rcode == DnsProtocol.NOTIMP || rcode == DnsProtocol.REFUSED)
                && attempt + 1 < servers.size()) {
            secondBest = message;
            nextAttempt();
        } else {
            finish(message);
        }
    }

    private void finish(byte @Nullable [] message) {
        over = true;
        stop();
        forwarder.over(this);
        result.accept(message);
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
        Channel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }

    private final class Datagrams extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
            received(ctx.channel(), packet.content());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            HeapExhaustion.note(cause);
            failed(ctx.channel());
        }
    }

    private final class Frames extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            received(ctx.channel(), message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            failed(ctx.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            HeapExhaustion.note(cause);
            failed(ctx.channel());
        }
    }
}

package dev.sallyport.core.dns;

import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries over one TCP connection (RFC 7766): any number, answered as they come. Stops reading from a client that does
 * not read its answers; closes one that sends no complete query in time.
 */
final class TcpHandler extends ByteToMessageDecoder implements QuerySource {

    private static final Logger LOG = LoggerFactory.getLogger(TcpHandler.class);
    private static final int PREFIX = 2;

    private final Responder responder;
    private final Channel channel;
    private final InetAddress source;
    private @Nullable ScheduledFuture<?> timer;
    private long lastQuery = System.nanoTime();
    private int unanswered;
    private boolean reading;
    private boolean last;

    TcpHandler(Responder responder, Channel channel) {
        this.responder = responder;
        this.channel = channel;
        this.source = ((InetSocketAddress) channel.remoteAddress()).getAddress();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        watch(responder.zone().limits().tcpIdleTimeout().toNanos());
    }

    private void watch(long nanos) {
        timer = channel.eventLoop().schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    }

    /** The client is not idle while it waits for the upstream. */
    private void look() {
        DnsSection.Limits limits = responder.zone().limits();
        long allowed = limits.tcpIdleTimeout().toNanos();
        if (unanswered > 0) {
            allowed += limits.passthroughTimeout().toNanos();
        }
        long left = allowed - (System.nanoTime() - lastQuery);
        if (left > 0) {
            watch(left);
        } else {
            channel.close();
        }
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (last) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (in.readableBytes() < PREFIX) {
            return;
        }
        int length = in.getUnsignedShort(in.readerIndex());
        long longest = responder.zone().limits().queryBytes().bytes();
        boolean tooLong = length > longest;
        int needed = tooLong ? DnsProtocol.HEADER : length;
        if (in.readableBytes() < PREFIX + needed) {
            return;
        }
        in.skipBytes(PREFIX);
        lastQuery = System.nanoTime();
        unanswered++;
        // A query that is too long is judged by its header alone, and nothing more is read.
        last = tooLong || length < DnsProtocol.HEADER;
        reading = true;
        responder.take(in.readSlice(needed), this);
        if (last) {
            channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** Replaces the decoder's behaviour, which reads more even when reading is off. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        discardSomeReadBytes();
        ctx.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        channel.config().setAutoRead(channel.isWritable());
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** The client aborted, or the proxy has a fault. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        if (!(cause instanceof IOException)) {
            LOG.warn("a DNS connection was closed", cause);
        }
        ctx.close();
    }

    @Override
    public InetAddress address() {
        return source;
    }

    @Override
    public boolean overTcp() {
        return true;
    }

    @Override
    public void send(DnsReply reply) {
        unanswered--;
        if (!channel.isActive()) {
            return;
        }
        ByteBuf data = channel.alloc().ioBuffer(PREFIX + reply.position());
        data.writeShort(reply.position());
        reply.writeTo(data);
        channel.write(data, channel.voidPromise());
        if (!reading) {
            channel.flush();
        }
    }
}

package dev.sallyport.core.net.tunnel;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.RelayListener;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ConnectionDrain;
import dev.sallyport.core.tls.ConnectionReset;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.io.IOException;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Relays bytes between two connections of one loop. Buffers are handed over, not copied; one side is read only while
 * the other is writable. The end of one direction is forwarded and leaves the other open.
 */
final class TcpRelay {

    private static final String NAME = "relay";

    private static final Logger LOG = LoggerFactory.getLogger(TcpRelay.class);

    private final ProxyLimits limits;
    private final RelayListener passage;
    private final @Nullable RequestWatch watch;
    private final Deadline idle;
    private final Side client;
    private final Side origin;
    private boolean over;

    /** The client sends a request, which does not go on. */
    private boolean requestSeen;

    private TcpRelay(
            Channel client, Channel origin, ProxyLimits limits, RelayListener passage, @Nullable RequestWatch watch) {
        this.limits = limits;
        this.passage = passage;
        this.watch = watch;
        this.client = new Side(client);
        this.origin = new Side(origin);
        this.idle = new Deadline(client.eventLoop(), this::idle);
    }

    /**
     * Couples two active connections. On their loop.
     *
     * @param stage the client's last handler; the relay takes its place
     * @param first the bytes that the client has already sent
     * @param ended whether it has closed its output behind them
     * @param watch looks for requests among what the client sends; null where they are relayed
     */
    static void couple(
            ChannelHandler stage,
            Channel client,
            Channel origin,
            Queue<ByteBuf> first,
            boolean ended,
            ProxyLimits limits,
            RelayListener passage,
            @Nullable RequestWatch watch) {
        TcpRelay relay = new TcpRelay(client, origin, limits, passage, watch);
        client.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        origin.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        client.pipeline().replace(stage, NAME, relay.client);
        origin.pipeline().addLast(NAME, relay.origin);
        for (ByteBuf data : first) {
            relay.client.received(data);
        }
        origin.flush();
        relay.progress();
        if (ended) {
            relay.client.end();
        }
        relay.client.more();
        relay.origin.more();
        if (!origin.isActive()) {
            relay.origin.broke = true;
            relay.closed(relay.origin);
        } else if (!client.isActive()) {
            relay.client.broke = true;
            relay.closed(relay.client);
        }
    }

    private Side other(Side side) {
        return side == client ? origin : client;
    }

    private void progress() {
        if (!over) {
            boolean half = client.ended || origin.ended;
            idle.in(half ? limits.clientIdleTimeout() : limits.relayIdleTimeout());
        }
    }

    /** Whether these bytes of the client belong to a request that must not go on. Tells of it once. */
    private boolean isWithheld(ByteBuf data) {
        if (!requestSeen && watch != null && watch.sees(data)) {
            requestSeen = true;
            passage.requestSeen();
        }
        return requestSeen;
    }

    private void idle() {
        if (over) {
            client.channel.close();
            origin.channel.close();
        } else {
            end(RelayListener.End.IDLE);
            ConnectionReset.reset(client.channel);
            ConnectionReset.reset(origin.channel);
        }
    }

    /** Ends the relay once both directions are finished. */
    private void finishWhenBothAre() {
        if (!over && client.finished && origin.finished) {
            end(RelayListener.End.COMPLETE);
            client.channel.close();
            origin.channel.close();
        }
    }

    /** One connection has closed: closes the other once its pending bytes are written. */
    private void closed(Side side) {
        if (over) {
            return;
        }
        if (!side.broke) {
            boolean refused =
                    ConnectionDrain.reason(client.channel, DisconnectReason.CUT_OFF) == DisconnectReason.POLICY_CHANGED;
            end(refused ? RelayListener.End.REFUSED : RelayListener.End.CUT_OFF);
        } else if (side.ended) {
            end(RelayListener.End.COMPLETE);
        } else {
            end(side == client ? RelayListener.End.CLIENT_RESET : RelayListener.End.ORIGIN_RESET);
        }
        Channel left = other(side).channel;
        if (left.isActive()) {
            idle.in(limits.lingerTimeout());
            left.closeFuture().addListener(closed -> idle.cancel());
            left.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> ConnectionReset.reset(left));
        }
    }

    private void end(RelayListener.End how) {
        over = true;
        idle.cancel();
        passage.ended(client.received, origin.received, how);
    }

    /** One of the two connections: reads it, and writes to the other. */
    private final class Side extends ChannelInboundHandlerAdapter {

        final Channel channel;

        /** Receives the outcome of writes to this side. */
        private final GenericFutureListener<Future<? super Void>> written = this::written;

        long received;

        /** This side has closed its output. */
        boolean ended;

        /** This side has received the end of the other's bytes, or can no longer be written to. */
        boolean finished;

        boolean broke;

        Side(Channel channel) {
            this.channel = channel;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            received((ByteBuf) message);
            progress();
        }

        void received(ByteBuf data) {
            Side to = other(this);
            if (over || to.finished || (this == client && isWithheld(data))) {
                data.release();
                return;
            }
            received += data.readableBytes();
            to.channel.write(data).addListener(to.written);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other(this).channel.flush();
            more();
        }

        /** Reads on, if the other side is writable. */
        void more() {
            Side to = other(this);
            if (!ended && !over && !to.finished && to.channel.isWritable()) {
                channel.read();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (channel.isWritable()) {
                progress();
                other(this).more();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                end();
            }
        }

        void end() {
            if (!ended) {
                ended = true;
                progress();
                other(this).tellEnd();
            }
        }

        private void tellEnd() {
            if (!finished) {
                channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> {
                    SslHandler tls = channel.pipeline().get(SslHandler.class);
                    if (tls != null) {
                        tls.closeOutbound(); // with a parent proxy
                    } else if (channel instanceof DuplexChannel duplex && channel.isActive()) {
                        duplex.shutdownOutput();
                    }
                    finish();
                });
            }
        }

        private void written(Future<? super Void> future) {
            if (!future.isSuccess() && !over) {
                // It accepts nothing more; what it still sends is forwarded.
                broke = true;
                finish();
            }
        }

        private void finish() {
            finished = true;
            finishWhenBothAre();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            closed(this);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            HeapExhaustion.note(cause);
            if (cause instanceof IOException) {
                LOG.debug("connection with {} failed: {}", channel.remoteAddress(), cause.toString());
            } else {
                LOG.warn("connection with {} closed by a fault", channel.remoteAddress(), cause);
            }
            broke = true;
            ctx.close();
        }
    }
}

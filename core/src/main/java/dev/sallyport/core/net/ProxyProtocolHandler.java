package dev.sallyport.core.net;

import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.loop.Deadline;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionDrain;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the PROXY protocol header (versions 1 and 2) that a load balancer must send, reads the client's address
 * from it, and removes itself. The destination in the header is ignored: it is the load balancer's own.
 */
final class ProxyProtocolHandler extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ProxyProtocolHandler.class);
    private static final String DECODER = "proxy-protocol";

    /** Room for what a version 2 header may carry besides addresses. */
    private static final int MOST_EXTENSION_BYTES = 4096;

    /** A header that breaks the rules; the message says which. */
    private static final class Unruly extends DecoderException {

        private static final long serialVersionUID = 1L;

        Unruly(String fault) {
            super(fault);
        }
    }

    /** Netty's decoder behind {@link ProxyProtocolRules}. */
    private static final class StrictDecoder extends HAProxyMessageDecoder {

        StrictDecoder() {
            super(MOST_EXTENSION_BYTES, true);
        }

        @Override
        protected void callDecode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            String fault = ProxyProtocolRules.fault(in);
            if (fault != null) {
                in.skipBytes(in.readableBytes());
                throw new Unruly(fault);
            }
            super.callDecode(ctx, in, out);
        }
    }

    private final ClientConnection loadBalancer;
    private final Consumer<InetSocketAddress> accept;
    private final Deadline deadline;
    private boolean done;

    /** @param accept adds the stages of the connection to its pipeline, given the client's address */
    ProxyProtocolHandler(ClientConnection loadBalancer, Consumer<InetSocketAddress> accept) {
        this.loadBalancer = loadBalancer;
        this.accept = accept;
        this.deadline = new Deadline(loadBalancer.loop(), () -> refuse("no header of the PROXY protocol in time"));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        deadline.in(loadBalancer.limits().firstBytesTimeout());
        ctx.pipeline().addBefore(ctx.name(), DECODER, new StrictDecoder());
        ctx.read();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        deadline.cancel();
    }

    /** The decoder releases the bytes behind the header later: by then the stages are in place. */
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (done || !(message instanceof HAProxyMessage header)) {
            ReferenceCountUtil.release(message);
            return;
        }
        InetSocketAddress client;
        try {
            client = header.command() == HAProxyCommand.LOCAL ? loadBalancer.peer() : client(header);
        } finally {
            header.release();
        }
        if (client == null) {
            refuse("a header of the PROXY protocol that names no client of TCP");
            return;
        }
        done = true;
        accept.accept(client);
        if (!ctx.isRemoved()) {
            ctx.pipeline().remove(this);
        }
    }

    /** The client; the load balancer itself if the header names no client; null if the header is invalid. */
    private @Nullable InetSocketAddress client(HAProxyMessage header) {
        return switch (header.proxiedProtocol()) {
            case UNKNOWN -> loadBalancer.peer();
            case TCP4, TCP6 -> address(header.sourceAddress(), header.sourcePort());
            case UDP4, UDP6, UNIX_STREAM, UNIX_DGRAM -> null;
        };
    }

    /** An address without brackets and zone, both of which Netty accepts; otherwise null. */
    private static @Nullable InetSocketAddress address(String text, int port) {
        boolean bare = text.indexOf('%') < 0 && text.indexOf('[') < 0;
        byte[] bytes = !bare ? null : NetUtil.createByteArrayFromIpAddressString(text);
        try {
            return bytes == null ? null : new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private void refuse(String detail) {
        if (!done) {
            done = true;
            loadBalancer.ended(EarlyTermination.refused(ClientConnection.unreadable("proxy_protocol_error", detail)));
        }
        loadBalancer.channel().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        done = true;
        deadline.cancel();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ConnectionDrain) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        if (cause instanceof Unruly) {
            refuse(String.valueOf(cause.getMessage()));
        } else if (cause instanceof DecoderException) {
            refuse("no header of the PROXY protocol, or a malformed one");
        } else {
            LOG.debug("connection of {} failed: {}", loadBalancer.peer(), cause.toString());
            ctx.close();
        }
    }
}

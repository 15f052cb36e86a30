package dev.sallyport.core.dns;

import dev.sallyport.core.meter.HeapExhaustion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queries over UDP. Answers to queries that were read together are sent together. */
final class UdpHandler extends SimpleChannelInboundHandler<DatagramPacket> {

    private static final Logger LOG = LoggerFactory.getLogger(UdpHandler.class);

    private final Responder responder;
    private boolean reading;

    UdpHandler(Responder responder) {
        this.responder = responder;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
        if (packet.sender().getPort() != 0) {
            reading = true;
            responder.take(packet.content(), new Sender(ctx.channel(), packet.sender()));
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        ctx.flush();
    }

    /**
     * An answer that could not be delivered, such as to a closed port, is the client's problem; anything else is the
     * proxy's.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        HeapExhaustion.note(cause);
        if (!(cause instanceof IOException)) {
            LOG.warn("a query over UDP was not answered", cause);
        }
        ctx.flush();
    }

    private final class Sender implements QuerySource {

        private final Channel channel;
        private final InetSocketAddress sender;

        Sender(Channel channel, InetSocketAddress sender) {
            this.channel = channel;
            this.sender = sender;
        }

        @Override
        public InetAddress address() {
            return sender.getAddress();
        }

        @Override
        public boolean overTcp() {
            return false;
        }

        /** Drops datagrams that the kernel does not accept, as UDP allows, which bounds the memory held. */
        @Override
        public void send(DnsReply reply) {
            if (!channel.isWritable()) {
                return;
            }
            ByteBuf data = channel.alloc().ioBuffer(reply.position());
            reply.writeTo(data);
            channel.write(new DatagramPacket(data, sender), channel.voidPromise());
            if (!reading) {
                channel.flush();
            }
        }
    }
}

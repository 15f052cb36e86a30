package dev.sallyport.compare.load;

import dev.sallyport.compare.net.HttpScanner;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** WebSockets on each of which one text message after the other goes to the origin and back. */
public final class Sockets extends Load {

    private static final int MESSAGE = 128;

    private final Dialler dialler;
    private final Route route;
    private final int connections;
    private final Set<Socket> open = new HashSet<>();

    public Sockets(Dialler dialler, Route route, int connections) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.connections = connections;
    }

    /** Waits for the 101. */
    private final class Handshake extends HttpScanner {

        @Override
        protected boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end) {
            if (status(in, start) != 101) {
                counter.error(new IOException("the WebSocket was answered with " + status(in, start)));
                ctx.close();
                return false;
            }
            ctx.pipeline()
                    .addLast(
                            new WebSocket13FrameDecoder(false, false, 1 << 20),
                            new WebSocket13FrameEncoder(true),
                            new Socket());
            ctx.pipeline().remove(this);
            return false;
        }

        @Override
        protected Unframed unframed() {
            return Unframed.NO_BODY;
        }

        @Override
        protected void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes) {
            throw new IllegalStateException("a body after 101");
        }

        @Override
        protected void end(ChannelHandlerContext ctx) {
            throw new IllegalStateException("an end after 101");
        }
    }

    private final class Socket extends ChannelInboundHandlerAdapter {

        private final byte[] text = "m".repeat(MESSAGE).getBytes(StandardCharsets.US_ASCII);
        private final ChannelHandlerContext[] context = new ChannelHandlerContext[1];
        private long since;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context[0] = ctx;
            open.add(this);
            if (running) {
                send();
            }
        }

        void send() {
            since = System.nanoTime();
            // The encoder masks in place: each message is a copy.
            context[0].writeAndFlush(
                    new TextWebSocketFrame(context[0].alloc().buffer(MESSAGE).writeBytes(text)),
                    context[0].voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            boolean whole = message instanceof TextWebSocketFrame frame
                    && frame.content().readableBytes() == MESSAGE;
            ReferenceCountUtil.release(message);
            if (!whole) {
                counter.error(new IOException("not the message that was sent"));
                ctx.close();
                return;
            }
            counter.done(since);
            counter.bytes(MESSAGE);
            since = 0;
            if (running) {
                send();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            super.channelInactive(ctx);
            open.remove(this);
            if (!closed) {
                counter.error(new IOException("the WebSocket was closed"));
                dial();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            counter.error(cause);
            ctx.close();
        }
    }

    @Override
    void connect() {
        for (int i = 0; i < connections; i++) {
            dial();
        }
    }

    private void dial() {
        dialler.dial(route, List.of()).addListener(future -> {
            if (!future.isSuccess()) {
                counter.error(future.cause());
                return;
            }
            Channel channel = (Channel) future.getNow();
            channel.pipeline().addLast(new Handshake());
            channel.writeAndFlush(HttpScanner.ascii(
                    channel.pipeline().lastContext(),
                    route.get(
                            "/socket",
                            "Connection: Upgrade",
                            "Upgrade: websocket",
                            "Sec-WebSocket-Version: 13",
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")));
        });
    }

    @Override
    int wanted() {
        return connections;
    }

    @Override
    int connected() {
        return open.size();
    }

    @Override
    void start() {
        for (Socket socket : open) {
            if (socket.since == 0) {
                socket.send();
            }
        }
    }

    @Override
    void disconnect() {
        List.copyOf(open).forEach(socket -> socket.context[0].close());
    }
}

package dev.sallyport.compare.origin;

import dev.sallyport.compare.net.HttpScanner;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers HTTP/1.1.
 *
 * <ul>
 *   <li>{@code /bytes/N}: a body of N bytes
 *   <li>{@code /sink}: reads a body of any size and says how many bytes there were
 *   <li>{@code /events/N}: events (SSE), N a second, each with the time of its sending in nanoseconds
 *   <li>{@code /socket}: a WebSocket that returns each text message
 * </ul>
 */
final class Http1Origin extends HttpScanner {

    private static final String WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final Bodies bodies;
    private String path = "";
    private long received;
    private @Nullable Sender sender;

    Http1Origin(Bodies bodies) {
        this.bodies = bodies;
    }

    @Override
    protected Unframed unframed() {
        return Unframed.NO_BODY;
    }

    @Override
    protected boolean head(ChannelHandlerContext ctx, ByteBuf in, int start, int end) {
        int first = in.indexOf(start, end, (byte) ' ');
        int second = in.indexOf(first + 1, end, (byte) ' ');
        path = path(text(in, first + 1, second));
        received = 0;
        if (path.equals("/socket")) {
            upgrade(ctx, text(in, start, end));
            return false;
        }
        return true;
    }

    /** The path of a target in origin or absolute form. */
    private static String path(String target) {
        if (target.startsWith("/")) {
            return target;
        }
        int slash = target.indexOf('/', target.indexOf("//") + 2);
        return slash < 0 ? "/" : target.substring(slash);
    }

    @Override
    protected void body(ChannelHandlerContext ctx, ByteBuf in, int start, int bytes) {
        received += bytes;
    }

    @Override
    protected void end(ChannelHandlerContext ctx) {
        int slash = path.lastIndexOf('/');
        switch (path.substring(0, Math.max(slash, 0))) {
            case "/bytes" -> send(ctx, Long.parseLong(path.substring(slash + 1)));
            case "/events" -> events(ctx, Integer.parseInt(path.substring(slash + 1)));
            default -> {
                String text = path.equals("/sink") ? Long.toString(received) : "nothing at " + path;
                String status = path.equals("/sink") ? "200 OK" : "404 Not Found";
                ctx.writeAndFlush(
                        ascii(ctx, "HTTP/1.1 " + status + "\r\nContent-Length: " + text.length() + "\r\n\r\n" + text));
            }
        }
        if (closing()) {
            ctx.writeAndFlush(ctx.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void send(ChannelHandlerContext ctx, long bytes) {
        if (bytes <= Bodies.SMALL) {
            ctx.writeAndFlush(bodies.response((int) bytes));
            return;
        }
        ctx.write(ascii(ctx, Bodies.head(bytes)));
        sender = new Sender(bodies, bytes);
        sender.go(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        if (sender != null) {
            sender.go(ctx);
        }
        super.channelWritabilityChanged(ctx);
    }

    private static void events(ChannelHandlerContext ctx, int rate) {
        ctx.writeAndFlush(ascii(
                ctx,
                String.join(
                        "\r\n",
                        "HTTP/1.1 200 OK",
                        "Content-Type: text/event-stream",
                        "Cache-Control: no-cache",
                        "Transfer-Encoding: chunked",
                        "",
                        "")));
        long period = TimeUnit.SECONDS.toNanos(1) / rate;
        var timer = ctx.executor()
                .scheduleAtFixedRate(
                        () -> {
                            String event = "data: " + System.nanoTime() + "\n\n";
                            ctx.writeAndFlush(
                                    ascii(ctx, Integer.toHexString(event.length()) + "\r\n" + event + "\r\n"));
                        },
                        ThreadLocalRandom.current().nextLong(period),
                        period,
                        TimeUnit.NANOSECONDS);
        ctx.channel().closeFuture().addListener(closed -> timer.cancel(false));
    }

    private static void upgrade(ChannelHandlerContext ctx, String head) {
        int at = head.toLowerCase(Locale.ROOT).indexOf("\r\nsec-websocket-key:");
        if (at < 0) {
            ctx.writeAndFlush(ascii(ctx, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                    .addListener(ChannelFutureListener.CLOSE);
            return;
        }
        String key = head.substring(head.indexOf(':', at) + 1, head.indexOf("\r\n", at + 2))
                .strip();
        ctx.writeAndFlush(ascii(
                ctx,
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                        + accept(key) + "\r\n\r\n"));
        ctx.pipeline()
                .addLast(
                        new WebSocket13FrameDecoder(true, false, 1 << 20),
                        new WebSocket13FrameEncoder(false),
                        new Echo());
        ctx.pipeline().remove(ctx.handler());
    }

    private static String accept(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder()
                    .encodeToString(sha1.digest((key + WEBSOCKET_GUID).getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-1", e);
        }
    }

    /** Returns text messages, and ends when the client does. */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            WebSocketFrame frame = (WebSocketFrame) message;
            if (frame instanceof TextWebSocketFrame) {
                ctx.write(frame, ctx.voidPromise());
            } else {
                frame.release();
                ctx.close();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}

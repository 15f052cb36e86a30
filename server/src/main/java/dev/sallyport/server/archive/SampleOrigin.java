package dev.sallyport.server.archive;

import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.LeafCertificate;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers every request head with the same KiB, over TLS on one port and in cleartext on another. Accepts no bodies.
 */
final class SampleOrigin implements AutoCloseable {

    static final String NAME = "origin.sample.test";
    static final String ZONE = ".sample.test";
    static final Map<String, byte[]> ADDRESSES = Map.of(NAME, new byte[] {127, 0, 0, 1});

    /** The body of a response; it echoes the key, as careless servers do. */
    static final String BODY = ("you are " + SampleLoad.KEY + "\n").repeat(16);

    private static final Duration LEAF_LIFE = Duration.ofDays(1);
    private static final byte[] RESPONSE = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nServer: sample\r\n"
                    + "Date: Tue, 15 Nov 1994 08:12:31 GMT\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY)
            .getBytes(StandardCharsets.US_ASCII);

    private final EventLoops loops;
    private final ServerTls tls;
    private final Channel secure;
    private final Channel plain;

    private SampleOrigin(CertificateAuthority authority) throws IOException {
        loops = EventLoops.single("sallyport-sample-origin");
        tls = new ServerTls(TlsProvider.best(), List.of("http/1.1"));
        LeafCertificate leaf = new LeafCache(authority, new LeafCache.Settings(1, LEAF_LIFE), Runnable::run)
                .leaf(NAME)
                .toCompletableFuture()
                .join();
        try {
            secure = bind(leaf);
            plain = bind(null);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Starts on free ports of the loopback address. Blocks. */
    static SampleOrigin start(CertificateAuthority authority) throws IOException {
        return new SampleOrigin(authority);
    }

    private Channel bind(@Nullable LeafCertificate leaf) throws IOException {
        var bound = new ServerBootstrap()
                .group(loops.group())
                .channel(loops.serverChannelType())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (leaf != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc(), leaf));
                        }
                        channel.pipeline().addLast(new Answers());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("no port for the sample origin", bound.cause());
        }
        return bound.channel();
    }

    int securePort() {
        return ((InetSocketAddress) secure.localAddress()).getPort();
    }

    int plainPort() {
        return ((InetSocketAddress) plain.localAddress()).getPort();
    }

    @Override
    public void close() {
        loops.close();
        tls.close();
    }

    /** Counts the ends of heads. */
    private static final class Answers extends SimpleChannelInboundHandler<ByteBuf> {

        private static final int END = '\r' << 24 | '\n' << 16 | '\r' << 8 | '\n';

        private int window;

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf data) {
            while (data.isReadable()) {
                window = window << 8 | data.readUnsignedByte();
                if (window == END) {
                    ctx.write(Unpooled.wrappedBuffer(RESPONSE), ctx.voidPromise());
                }
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close(); // The client has gone.
        }
    }
}

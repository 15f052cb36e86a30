package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.LeafCertificate;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An HTTPS server on loopback that requires a key and answers with what it has received, to show what arrives. */
final class DemoApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DemoApi.class);
    private static final int MAX_BODY = 1 << 20;
    private static final Duration CERTIFICATE_LIFE = Duration.ofDays(30);

    private final EventLoopGroup loop;
    private final ServerTls tls;
    private final CertificateAuthority authority;
    private final Echo echo;
    private final int port;

    private DemoApi(EventLoopGroup loop, ServerTls tls, CertificateAuthority authority, Echo echo, int port) {
        this.echo = echo;
        this.loop = loop;
        this.tls = tls;
        this.authority = authority;
        this.port = port;
    }

    /** Starts on this port, or on a free one when it is taken; accepts {@code key}. Blocks. */
    static DemoApi start(int preferredPort, String key) throws IOException {
        CertificateAuthority authority = CertificateAuthority.generate("Sallyport demo API CA", CERTIFICATE_LIFE);
        LeafCertificate leaf = new LeafCache(authority, new LeafCache.Settings(1, CERTIFICATE_LIFE), Runnable::run)
                .leaf(DemoNames.API)
                .toCompletableFuture()
                .join();
        ServerTls tls = new ServerTls(TlsProvider.best(), List.of("http/1.1"));
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("sallyport-demo-api", true), NioIoHandler.newFactory());
        Echo echo = new Echo();
        echo.accept(key);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(tls.newHandler(channel.alloc(), leaf))
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(MAX_BODY))
                                .addLast(echo);
                    }
                });
        ChannelFuture bound = bind(bootstrap, preferredPort);
        if (!bound.isSuccess()) {
            bound = bind(bootstrap, 0);
        }
        if (!bound.isSuccess()) {
            loop.shutdownGracefully();
            tls.close();
            throw new IOException("no port for the demo API", bound.cause());
        }
        Channel channel = bound.channel();
        return new DemoApi(loop, tls, authority, echo, ((InetSocketAddress) channel.localAddress()).getPort());
    }

    private static ChannelFuture bind(ServerBootstrap bootstrap, int port) {
        return bootstrap
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .awaitUninterruptibly();
    }

    int port() {
        return port;
    }

    /** Accepts this key from now on, and no other. */
    void accept(String key) {
        echo.accept(key);
    }

    /** The issuer of its certificate, which the proxy must trust. */
    String certificateOfItsCa() {
        return authority.certificatePem();
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        tls.close();
    }

    @Sharable
    private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {

        private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

        private volatile String accepted = "";

        void accept(String key) {
            accepted = "Bearer " + key;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) throws JsonProcessingException {
            boolean known = accepted.equals(request.headers().get(HttpHeaderNames.AUTHORIZATION));
            byte[] text = (JSON.writeValueAsString(seen(request, known)) + "\n").getBytes(StandardCharsets.UTF_8);
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    known ? HttpResponseStatus.OK : HttpResponseStatus.UNAUTHORIZED,
                    Unpooled.wrappedBuffer(text));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
                    .setInt(HttpHeaderNames.CONTENT_LENGTH, text.length);
            HttpUtil.setKeepAlive(response, HttpUtil.isKeepAlive(request));
            ctx.writeAndFlush(response);
        }

        private static ObjectNode seen(FullHttpRequest request, boolean known) {
            ObjectNode seen = JSON.createObjectNode();
            seen.put("answer", known ? "hello: this key is good" : "who are you? (this is not the key)");
            ObjectNode received = seen.putObject("the_demo_api_received");
            received.put("request", request.method() + " " + request.uri());
            if (!request.content().isReadable()) {
                request.headers()
                        .remove(HttpHeaderNames.CONTENT_LENGTH); // Closed by the aggregator, not with the client.
            }
            request.headers()
                    .forEach(header -> received.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
            if (request.content().isReadable()) {
                received.put("body", request.content().toString(StandardCharsets.UTF_8));
            }
            return seen;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            LOG.debug("a client of the demo API: {}", cause.toString());
            ctx.close();
        }
    }
}

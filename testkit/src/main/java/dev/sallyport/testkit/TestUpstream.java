package dev.sallyport.testkit;

import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.LeafCertificate;
import dev.sallyport.core.tls.ServerTls;
import dev.sallyport.core.tls.TlsProvider;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A small origin on the loopback interface, for tests with sockets: HTTP/1.1 in plaintext or over TLS, with a
 * certificate for {@code localhost} from an authority of its own. Answers from a script and keeps the requests.
 * Thread-safe.
 */
public final class TestUpstream implements AutoCloseable {

    private static final int MAX_BODY = 64 << 20;
    private static final String HOST = "localhost";

    private final EventLoops loops = EventLoops.single("test-upstream");
    private final List<ForwardedRequest> requests = new CopyOnWriteArrayList<>();
    private final CertificateAuthority authority;
    private final @Nullable ServerTls tls;
    private final Upstream script;
    private final Channel channel;

    private TestUpstream(Upstream script, boolean secure) {
        this.script = script;
        this.authority = CertificateAuthority.generate("Test Upstream CA", Duration.ofDays(1));
        this.tls = secure ? new ServerTls(TlsProvider.best(), List.of("http/1.1")) : null;
        LeafCertificate leaf = new LeafCache(authority, new LeafCache.Settings(1, Duration.ofHours(1)), Runnable::run)
                .leaf(HOST)
                .toCompletableFuture()
                .join();
        this.channel = new ServerBootstrap()
                .group(loops.group())
                .channel(loops.serverChannelType())
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        if (tls != null) {
                            connection.pipeline().addLast(tls.newHandler(connection.alloc(), leaf));
                        }
                        connection
                                .pipeline()
                                .addLast(new HttpServerCodec(), new HttpObjectAggregator(MAX_BODY), new Answering());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    /** Starts an origin in plaintext. */
    public static TestUpstream http(Upstream script) {
        return new TestUpstream(script, false);
    }

    /** Starts an origin with TLS. */
    public static TestUpstream https(Upstream script) {
        return new TestUpstream(script, true);
    }

    /** Its URL without a path, such as {@code https://localhost:40123}. */
    public String url() {
        int port = ((InetSocketAddress) channel.localAddress()).getPort();
        return (tls == null ? "http://" : "https://") + HOST + ":" + port;
    }

    /** The certificate that clients have to trust, as PEM. */
    public String certificatePem() {
        return authority.certificatePem();
    }

    /** The requests so far, in order. */
    public List<ForwardedRequest> requests() {
        return List.copyOf(requests);
    }

    /** Closes the port and every connection. */
    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.close();
        if (tls != null) {
            tls.close();
        }
    }

    private static HeaderLines lines(HttpHeaders headers) {
        HeaderLines lines = HeaderLines.NONE;
        for (Map.Entry<String, String> entry : headers) {
            lines = lines.with(entry.getKey(), entry.getValue());
        }
        return lines;
    }

    private final class Answering extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            ForwardedRequest seen = new ForwardedRequest(
                    request.method().name(),
                    request.uri(),
                    lines(request.headers()),
                    ByteBufUtil.getBytes(request.content()),
                    lines(request.trailingHeaders()),
                    true);
            requests.add(seen);
            context.writeAndFlush(response(Objects.requireNonNull(script.answer(seen), "answer")));
        }

        private FullHttpResponse response(TestResponse answer) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            answer.pieces().forEach(body::writeBytes);
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.valueOf(answer.status()),
                    Unpooled.wrappedBuffer(body.toByteArray()));
            answer.headers().lines().forEach(line -> response.headers().add(line.name(), line.value()));
            response.headers().set("Content-Length", body.size());
            return response;
        }
    }
}

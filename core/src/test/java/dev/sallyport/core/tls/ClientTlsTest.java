package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * docs/spec/decisions.md, section 2a, towards upstreams: chain and name are verified, always; real sockets, both
 * providers.
 */
class ClientTlsTest {

    private static final LeafCache.Settings SETTINGS = new LeafCache.Settings(100, Duration.ofHours(1));
    private static final String HOST = "api.example.com";

    @TempDir
    Path folder;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private CertificateAuthority authority;
    private TrustRoots roots;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = TestAuthority.of(TestAuthority.Kind.EC_P256);
        roots = TrustRoots.of(TestAuthority.trustFile(folder, authority.certificate()));
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void acceptsTheRightCertificateAndNegotiates(TlsProvider provider) throws Exception {
        try (LeafServer server = server(provider, fresh()::leaf);
                ClientTls tls = new ClientTls(provider, roots, List.of("h2", "http/1.1"))) {

            Outcome outcome = connect(tls, HOST, server.port());

            assertThat(outcome.failure).isNull();
            assertThat(outcome.handler.applicationProtocol()).isEqualTo("http/1.1");
            assertThat(outcome.handler.engine().getSession().getProtocol()).isEqualTo("TLSv1.3");
            assertThat(server.names).containsExactly(HOST);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesACertificateOfAnotherHost(TlsProvider provider) throws Exception {
        LeafCache leaves = fresh();
        try (LeafServer server = server(provider, name -> leaves.leaf("other.example.com"));
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(refusal(tls, HOST, server.port()))
                    .isEqualTo("the peer's certificate is not valid for the requested host");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesAnIssuerThatIsNotTrusted(TlsProvider provider) throws Exception {
        LeafCache leaves = new LeafCache(TestAuthority.of(TestAuthority.Kind.RSA_2048), SETTINGS, Runnable::run);
        try (LeafServer server = server(provider, leaves::leaf);
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(refusal(tls, HOST, server.port()))
                    .isEqualTo("the peer's certificate is not issued by a trusted authority");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesAnIssuerThatOnlyHasTheNameOfATrustedOne(TlsProvider provider) throws Exception {
        TestAuthority impostor = new TestAuthority(TestAuthority.Kind.EC_P256);
        impostor.name = authority.certificate().getSubjectX500Principal().getName();
        LeafCache leaves = new LeafCache(impostor.authority(), SETTINGS, Runnable::run);
        try (LeafServer server = server(provider, leaves::leaf);
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(refusal(tls, HOST, server.port()))
                    .isEqualTo("the peer's certificate is not issued by a trusted authority");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesASelfSignedCertificate(TlsProvider provider) throws Exception {
        TestAuthority self = new TestAuthority(TestAuthority.Kind.EC_P256);
        self.ca = false;
        self.keyUsage = 0;
        LeafCertificate leaf = new LeafCertificate(
                HOST, "1", new X509Certificate[] {self.certificate()}, self.pair.getPrivate(), self.until);
        try (LeafServer server = server(provider, name -> CompletableFuture.completedFuture(leaf));
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(refusal(tls, HOST, server.port()))
                    .isEqualTo("the peer's certificate is not issued by a trusted authority");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesAnExpiredCertificate(TlsProvider provider) throws Exception {
        Clock yesterday = Clock.fixed(Instant.now().minus(Duration.ofHours(23)), ZoneOffset.UTC);
        LeafFactory factory = new LeafFactory(authority, SETTINGS, yesterday);
        try (LeafServer server = server(provider, name -> CompletableFuture.completedFuture(factory.mint(name)));
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(refusal(tls, HOST, server.port())).isEqualTo("the peer's certificate has expired");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesACertificateOfTheFuture(TlsProvider provider) throws Exception {
        Clock tomorrow = Clock.fixed(Instant.now().plus(Duration.ofDays(1)), ZoneOffset.UTC);
        LeafFactory factory = new LeafFactory(authority, SETTINGS, tomorrow);
        try (LeafServer server = server(provider, name -> CompletableFuture.completedFuture(factory.mint(name)));
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(refusal(tls, HOST, server.port())).isEqualTo("the peer's certificate is not yet valid");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void verifiesAddressesAgainstAddressNamesAndSendsNoSniForThem(TlsProvider provider) throws Exception {
        LeafCache leaves = fresh();
        for (String address : List.of("127.0.0.1", "::1", "2001:db8::1")) {
            try (LeafServer server = server(provider, name -> leaves.leaf(address));
                    ClientTls tls = new ClientTls(provider, roots, List.of())) {

                assertThat(connect(tls, address, server.port()).failure).isNull();
                assertThat(refusal(tls, "192.0.2.1", server.port()))
                        .isEqualTo("the peer's certificate is not valid for the requested host");
                assertThat(server.names).containsExactly("", "");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesNamesThatJavaCannotVerifyAndSaysSo(TlsProvider provider) throws Exception {
        LeafCache leaves = fresh();
        for (String host : List.of("my_service", "a.b_c.example.com")) {
            try (LeafServer server = server(provider, name -> leaves.leaf(host));
                    ClientTls tls = new ClientTls(provider, roots, List.of())) {

                assertThat(refusal(tls, host, server.port()))
                        .isEqualTo("the requested host is no server name of TLS"
                                + " (expected: letters, digits and hyphens)");
            }
        }
    }

    /** As browsers do, although no certificate can name such a host. */
    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void aWildcardCoversALabelThatIsNoneOfAHostName(TlsProvider provider) throws Exception {
        LeafCache leaves = fresh();
        for (String host : List.of("my_app.example.com", "-app.example.com", "app-.example.com")) {
            try (LeafServer server = server(TlsProvider.best(), name -> leaves.leaf("any_name.example.com"));
                    ClientTls tls = new ClientTls(provider, roots, List.of())) {

                assertThat(connect(tls, host, server.port()).failure).as(host).isNull();
                assertThat(server.names).containsExactly(host);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void noOtherCertificateCoversIt(TlsProvider provider) throws Exception {
        LeafCache leaves = fresh();
        for (String shown : List.of("any_name.example.org", "my-app.example.com", "any_name.my_app.example.com")) {
            try (LeafServer server = server(TlsProvider.best(), name -> leaves.leaf(shown));
                    ClientTls tls = new ClientTls(provider, roots, List.of())) {

                assertThat(refusal(tls, "my_app.example.com", server.port()))
                        .as(shown)
                        .isEqualTo("the peer's certificate is not valid for the requested host");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void sendsSniForNamesWithoutADot(TlsProvider provider) throws Exception {
        try (LeafServer server = server(provider, fresh()::leaf);
                ClientTls tls = new ClientTls(provider, roots, List.of())) {

            assertThat(connect(tls, "backend", server.port()).failure).isNull();
            assertThat(connect(tls, "localhost", server.port()).failure).isNull();
            assertThat(server.names).containsExactly("backend", "localhost");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void sessionsResumeForTheSameHostOnly(TlsProvider provider) throws Exception {
        try (LeafServer server = server(TlsProvider.best(), fresh()::leaf);
                ClientTls tls = new ClientTls(provider, roots, List.of())) {
            X509Certificate first = connect(tls, HOST, server.port()).certificate();

            // Whoever shakes hands in full from now on sees another leaf.
            server.show(fresh()::leaf);
            X509Certificate second = connect(tls, HOST, server.port()).certificate();
            Outcome other = connect(tls, "other.example.com", server.port());

            assertThat(second).isEqualTo(first);
            assertThat(other.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=other.example.com");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void saysThatThePeerDoesNotSpeakTls(TlsProvider provider) throws Exception {
        Channel plain = plainServer("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        try (ClientTls tls = new ClientTls(provider, roots, List.of())) {
            assertThat(refusal(tls, HOST, ((InetSocketAddress) plain.localAddress()).getPort()))
                    .isEqualTo("the peer does not speak TLS");
        } finally {
            plain.close().syncUninterruptibly();
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void saysThatThePeerClosed(TlsProvider provider) throws Exception {
        Channel plain = plainServer("");
        try (ClientTls tls = new ClientTls(provider, roots, List.of())) {
            assertThat(refusal(tls, HOST, ((InetSocketAddress) plain.localAddress()).getPort()))
                    .isEqualTo("the peer closed the connection during the TLS handshake");
        } finally {
            plain.close().syncUninterruptibly();
        }
    }

    @Test
    void systemRootsAreThereAndMoreCanBeAdded() throws Exception {
        TrustRoots system = TrustRoots.system();

        TrustRoots more = system.plus(TestAuthority.trustFile(folder, authority.certificate()));

        assertThat(system.size()).isGreaterThan(10);
        assertThat(more.size()).isEqualTo(system.size() + 1);
    }

    private LeafCache fresh() {
        return new LeafCache(authority, SETTINGS, Runnable::run);
    }

    private static LeafServer server(
            TlsProvider provider, Function<String, java.util.concurrent.CompletionStage<LeafCertificate>> leaves) {
        return new LeafServer(provider, List.of("http/1.1"), leaves);
    }

    private String refusal(ClientTls tls, String host, int port) throws Exception {
        Throwable failure = connect(tls, host, port).failure;
        assertThat(failure).isNotNull();
        return TlsFailure.describe(failure);
    }

    private record Outcome(SslHandler handler, @Nullable Throwable failure) {

        X509Certificate certificate() throws Exception {
            assertThat(failure).isNull();
            return (X509Certificate) handler.engine().getSession().getPeerCertificates()[0];
        }
    }

    /** Waits for the greeting too: tickets come with it. */
    private Outcome connect(ClientTls tls, String host, int port) throws Exception {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Channel channel = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        SslHandler handler = tls.newHandler(opened.alloc(), host, port);
                        handler.handshakeFuture().addListener(handshake -> {
                            if (!handshake.isSuccess()) {
                                outcome.complete(new Outcome(handler, handshake.cause()));
                            }
                        });
                        opened.pipeline().addLast(handler, new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object message) {
                                ((ByteBuf) message).release();
                                outcome.complete(new Outcome(handler, null));
                            }

                            @Override
                            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                                context.close();
                            }
                        });
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), port)
                .syncUninterruptibly()
                .channel();
        try {
            return outcome.get(Patience.SECONDS, TimeUnit.SECONDS);
        } finally {
            channel.close().syncUninterruptibly();
        }
    }

    private Channel plainServer(String answer) {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object message) {
                                ((ByteBuf) message).release();
                                context.writeAndFlush(Unpooled.copiedBuffer(answer, StandardCharsets.US_ASCII))
                                        .addListener(done -> context.close());
                            }
                        });
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }
}

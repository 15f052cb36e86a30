package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.core.upstream.UpstreamFailure.Kind;
import dev.sallyport.spi.Destination;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TlsExchangeTest {

    private static final TestOrigin.Script ECHO = peer -> {
        while (true) {
            peer.readHead();
            peer.ok("ok");
        }
    };

    @TempDir
    static Path folder;

    private static TestCertificates origins;

    private ClientTls tls;

    @BeforeAll
    static void makeCertificate() throws Exception {
        origins = new TestCertificates(folder, "origin.test");
    }

    @AfterEach
    void close() {
        if (tls != null) {
            tls.close();
        }
    }

    private Client client(TlsProvider provider) throws Exception {
        return client(provider, limits -> limits);
    }

    private Client client(TlsProvider provider, UnaryOperator<Client.Limits> change) throws Exception {
        tls = Http2Origins.trusting(origins, provider);
        return new Client(Client.profile(change, tls));
    }

    private static Route secure(String host, int port) {
        return Route.chosenByWorkload(Destination.named(host, port, true), "ci", Client.SOMEBODY);
    }

    private static UpstreamFailure failure(Client client, Route route) {
        Recorder recorder = new Recorder();
        client.open(route, recorder);
        return recorder.failure();
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void reusesAVerifiedConnection(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.tls(origins.origin, ECHO);
                Client client = client(provider)) {
            Route route = secure("origin.test", origin.port());

            assertThat(client.get(route)).isEqualTo("ok");
            assertThat(client.get(route)).isEqualTo("ok");

            assertThat(origin.connections()).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void takesABodyThatEndsWithCloseNotifyAsComplete(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.tls(origins.origin, peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\n\r\nall there is");
                });
                Client client = client(provider)) {
            assertThat(client.get(secure("origin.test", origin.port()))).isEqualTo("all there is");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void takesABodyThatEndsWithoutCloseNotifyAsCompleteAndSaysSo(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.tls(origins.origin, peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\n\r\nall there is");
                    peer.cut();
                });
                Client client = client(provider)) {
            Recorder recorder = client.send(secure("origin.test", origin.port()), "GET");

            recorder.await(Recorder.Head.class);
            assertThat(recorder.await(Recorder.Tolerated.class).code()).isEqualTo("close_notify");
            assertThat(recorder.await(Recorder.Ended.class).body()).isEqualTo("all there is");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void takesABodyThatEndsWithAResetAsTruncated(TlsProvider provider) throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.tls(origins.origin, peer -> {
                    peer.readHead();
                    peer.send("HTTP/1.1 200 OK\r\n\r\nall there is");
                    assertThat(read.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
                    peer.reset();
                });
                Client client = client(provider)) {
            Recorder recorder = client.send(secure("origin.test", origin.port()), "GET");

            recorder.await(Recorder.Head.class);
            assertThat(recorder.piece()).isEqualTo("all there is");
            read.countDown();
            assertThat(recorder.failure().kind()).isEqualTo(Kind.UPSTREAM_PROTOCOL_ERROR);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void takesABodyOfKnownLengthAsCompleteHoweverTheConnectionEnds(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.tls(origins.origin, peer -> {
                    peer.readHead();
                    peer.ok("complete");
                    peer.cut();
                });
                Client client = client(provider)) {
            assertThat(client.get(secure("origin.test", origin.port()))).isEqualTo("complete");
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesACertificateForAnotherName(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.tls(origins.origin, Wire::readToEnd);
                Client client = client(provider)) {
            UpstreamFailure failure = failure(client, secure("other.test", origin.port()));

            assertThat(failure.kind()).isEqualTo(Kind.UPSTREAM_TLS_ERROR);
            assertThat(failure.message())
                    .isEqualTo("other.test:" + origin.port()
                            + ": the peer's certificate is not valid for the requested host");
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void refusesACertificateThatNobodyTrusts(TlsProvider provider) throws Exception {
        tls = new ClientTls(provider, TrustRoots.system(), List.of("http/1.1"));
        try (TestOrigin origin = TestOrigin.tls(origins.origin, Wire::readToEnd);
                Client client = new Client(Client.profile(limits -> limits, tls))) {
            assertThat(failure(client, secure("origin.test", origin.port())).kind())
                    .isEqualTo(Kind.UPSTREAM_TLS_ERROR);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void saysThatAnOriginDoesNotSpeakTls(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
                    peer.readToEnd();
                });
                Client client = client(provider)) {
            assertThat(failure(client, secure("origin.test", origin.port())).kind())
                    .isEqualTo(Kind.UPSTREAM_TLS_ERROR);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void givesUpOnAHandshakeThatTakesTooLong(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.of(Wire::readToEnd);
                Client client = client(provider, limits -> {
                    limits.handshake = Duration.ofMillis(50);
                    return limits;
                })) {
            assertThat(failure(client, secure("origin.test", origin.port())).kind())
                    .isEqualTo(Kind.UPSTREAM_TLS_ERROR);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void closesTheConnectionWhenCancelledDuringTheHandshake(TlsProvider provider) throws Exception {
        CountDownLatch helloCame = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    assertThat(peer.in().read()).isPositive();
                    helloCame.countDown();
                    peer.readToEnd();
                    ended.countDown();
                });
                Client client = client(provider)) {
            Recorder recorder = new Recorder();
            Runnable cancel = client.open(secure("origin.test", origin.port()), recorder);
            assertThat(helloCame.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

            cancel.run();

            assertThat(ended.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(recorder.isSilent()).isTrue();
            assertThat(client.pools.stats().active()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void closesPooledConnectionsWhenTrustChanges(TlsProvider provider) throws Exception {
        try (TestOrigin origin = TestOrigin.tls(origins.origin, ECHO);
                Client client = client(provider);
                ClientTls next = Http2Origins.trusting(origins, provider)) {
            Route route = secure("origin.test", origin.port());
            client.get(route);
            UpstreamProfile before = client.pools.profile();

            client.pools.reconfigure(new UpstreamProfile(
                    before.limits(), before.timeouts(), before.names(), next, before.guard(), before.parents()));

            await().until(() -> client.pools.stats().idle() == 0);
            client.get(route);
            assertThat(origin.connections()).isEqualTo(2);
        }
    }
}

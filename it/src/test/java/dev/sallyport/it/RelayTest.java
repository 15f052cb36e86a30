package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.StartException;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.ClientHelloBuilder;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the bytes of a connection that is passed through. Client and origin speak no TLS after the hello. */
@Timeout(120)
class RelayTest {

    private static final int LARGE = 64 << 20;
    private static final byte[] HELLO = ClientHelloBuilder.naming("localhost").bytes();

    @TempDir
    Path folder;

    private TestProxy proxy(TestOrigin origin) throws StartException {
        return TestProxy.builder(folder).sniOnly(origin.port()).start();
    }

    @Test
    void everyByteArrivesInBothDirectionsAtOnce() throws Exception {
        CompletableFuture<Long> arrived = new CompletableFuture<>();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    Thread writer = Thread.ofVirtual().start(() -> send(peer, 2));
                    arrived.complete(checksum(peer.in()));
                    writer.join();
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            // when
            CompletableFuture<Long> back = new CompletableFuture<>();
            Thread reader = Thread.ofVirtual().start(() -> back.completeAsync(() -> read(client)));
            client.send(HELLO);
            send(client, 1);

            // then
            assertThat(arrived.get(3L * Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(expected(HELLO, 1));
            assertThat(back.get(3L * Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(expected(new byte[0], 2));
            reader.join();
            JsonNode audit = proxy.record().get("audit");
            assertThat(audit.get("action").asText()).isEqualTo("allow");
            assertThat(audit.get("request_bytes").asLong()).isEqualTo(LARGE + HELLO.length);
            assertThat(audit.get("response_bytes").asLong()).isEqualTo(LARGE);
        }
    }

    @Test
    void aClientThatHasEndedItsHalfGetsAllThatTheOriginSays() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.in().readNBytes(HELLO.length);
                    peer.send("x").in().readAllBytes();
                    send(peer, 3);
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            // given
            client.send(HELLO).read(1);
            client.socket().shutdownOutput();

            // then
            assertThat(checksum(client.in())).isEqualTo(expected(new byte[0], 3));
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("allow");
        }
    }

    @Test
    void anOriginThatHasEndedItsHalfGetsAllThatTheClientSays() throws Exception {
        CompletableFuture<Long> arrived = new CompletableFuture<>();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.in().readNBytes(HELLO.length);
                    peer.socket().shutdownOutput();
                    arrived.complete(checksum(peer.in()));
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            // given
            client.send(HELLO);
            assertThat(client.readToEnd()).isEmpty();

            // when
            send(client, 4);

            // then
            assertThat(arrived.get(3L * Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(expected(new byte[0], 4));
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("allow");
        }
    }

    /** Without a ServerHello there is nothing that a client could still want to hear. */
    @Test
    void aClientThatEndsBeforeItIsCoupledIsGone() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> peer.in().readAllBytes());
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .transform("never", TestProxy.everything(), (Transform) request -> new CompletableFuture<>())
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(HELLO).socket().shutdownOutput();

            assertThat(client.readToEnd()).isEmpty();
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("client_cancel");
            assertThat(origin.connections()).isZero();
        }
    }

    /** A slow reader after the end of the other half: the rest waits in the proxy, and is not lost. */
    @Test
    void aHalfClosedClientThatReadsLateLosesNothing() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.in().readNBytes(HELLO.length);
                    peer.send("x").in().readAllBytes();
                    peer.send(new byte[3 << 20]);
                    sent.countDown();
                    send(peer, 5);
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            client.send(HELLO).read(1);
            client.socket().shutdownOutput();
            // When nobody reads, the origin is not read either: at some time it is stuck.
            assertThat(client.in().readNBytes(1 << 20)).hasSize(1 << 20);
            assertThat(client.in().readNBytes(2 << 20)).hasSize(2 << 20);
            sent.await();

            assertThat(checksum(client.in())).isEqualTo(expected(new byte[0], 5));
        }
    }

    @Test
    void aClientThatDoesNotReadStopsTheOrigin() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.in().readNBytes(HELLO.length);
                    CompletableFuture<Void> all = CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < 8; i++) {
                            send(peer, i);
                        }
                    });
                    try {
                        all.get(1, TimeUnit.SECONDS);
                    } catch (java.util.concurrent.TimeoutException e) {
                        stuck.countDown();
                    }
                    peer.readToEnd();
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            client.send(HELLO);

            assertThat(stuck.await(Patience.SECONDS, TimeUnit.SECONDS))
                    .as("512 MiB stay with the origin")
                    .isTrue();
        }
    }

    @Test
    void aResetOfTheClientReachesTheOrigin() throws Exception {
        CompletableFuture<IOException> seen = new CompletableFuture<>();
        CountDownLatch there = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.in().readNBytes(HELLO.length);
                    there.countDown();
                    try {
                        peer.in().read();
                    } catch (IOException e) {
                        seen.complete(e);
                    }
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            client.send(HELLO);
            there.await();
            client.reset();

            assertThat(seen.get(Patience.SECONDS, TimeUnit.SECONDS)).hasMessageContaining("reset");
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("client_cancel");
        }
    }

    @Test
    void aResetOfTheOriginReachesTheClientAfterWhatItSaid() throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.in().readNBytes(HELLO.length);
                    peer.send("last words");
                    heard.await();
                    peer.reset();
                });
                TestProxy proxy = proxy(origin);
                Wire client = proxy.rawHttps()) {
            client.send(HELLO);
            assertThat(client.read(10)).isEqualTo("last words");
            heard.countDown();

            org.assertj.core.api.Assertions.assertThatThrownBy(() -> client.in().read())
                    .hasMessageContaining("reset");
            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("error");
            assertThat(record.get("error").asText()).contains("origin");
        }
    }

    @Test
    void silenceOnBothSidesEndsTheRelay() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> peer.in().readAllBytes());
                TestProxy proxy = TestProxy.builder(folder)
                        .sniOnly(origin.port())
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "sni_upstream_port: " + origin.port(),
                                "limits: {relay_idle_timeout: 200ms}")
                        .start();
                Wire client = proxy.rawHttps()) {
            client.send(HELLO);

            assertThat(client.readToEnd()).isEmpty();
            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("allow");
            assertThat(record.get("error").asText()).startsWith("idle_timeout: ");
        }
    }

    @Test
    void aShutdownCutsRelaysOffWhenItsTimeIsOver() throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.in().readNBytes(HELLO.length);
            there.countDown();
            peer.readToEnd();
        })) {
            TestProxy proxy = TestProxy.builder(folder)
                    .sniOnly(origin.port())
                    .proxyLines(
                            "upstream_deny_cidrs: []",
                            "sni_upstream_port: " + origin.port(),
                            "limits: {drain_timeout: 100ms}")
                    .start();
            try (proxy;
                    Wire client = proxy.rawHttps()) {
                client.send(HELLO);
                there.await();

                JsonNode record = proxy.closeAndRecords().getFirst();

                assertThat(record.get("audit").get("action").asText()).isEqualTo("error");
                assertThat(record.get("error").asText()).isEqualTo("shutdown: cut off by the end of the proxy");
                assertThat(client.readToEnd()).isEmpty();
            }
        }
    }

    @Test
    void aRelayThatEndsDuringTheShutdownEndsInPeace() throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.in().readNBytes(HELLO.length);
            there.countDown();
            closing.await();
            peer.send("bye");
        })) {
            TestProxy proxy = proxy(origin);
            try (proxy;
                    Wire client = proxy.rawHttps()) {
                client.send(HELLO);
                there.await();
                CompletableFuture<Void> closed = CompletableFuture.runAsync(proxy::close);
                Awaitility.await().until(() -> !proxy.proxy().ready());
                closing.countDown();

                assertThat(client.readToEnd()).isEqualTo("bye");
                client.close();
                closed.get(Patience.SECONDS, TimeUnit.SECONDS);
                assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("allow");
            }
        }
    }

    private static void send(Wire to, int seed) {
        Random random = new Random(seed);
        byte[] some = new byte[64 << 10];
        try {
            OutputStream out = to.socket().getOutputStream();
            for (int left = LARGE; left > 0; left -= some.length) {
                random.nextBytes(some);
                out.write(some);
            }
            to.socket().shutdownOutput();
        } catch (IOException e) {
            // The other end is asked what has arrived.
        }
    }

    private static long expected(byte[] first, int seed) {
        CRC32 sum = new CRC32();
        sum.update(first);
        Random random = new Random(seed);
        byte[] some = new byte[64 << 10];
        for (int left = LARGE; left > 0; left -= some.length) {
            random.nextBytes(some);
            sum.update(some);
        }
        return sum.getValue();
    }

    private static long read(Wire from) {
        try {
            return checksum(from.in());
        } catch (IOException e) {
            return -1;
        }
    }

    private static long checksum(InputStream in) throws IOException {
        CRC32 sum = new CRC32();
        byte[] some = new byte[256 << 10];
        for (int n = in.read(some); n >= 0; n = in.read(some)) {
            sum.update(some, 0, n);
        }
        return sum.getValue();
    }
}

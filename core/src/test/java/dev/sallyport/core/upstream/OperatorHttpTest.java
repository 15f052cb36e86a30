package dev.sallyport.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.IpRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperatorHttpTest {

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final Client client = new Client(new Client.Limits()
            .profile(
                    (loop, host) -> loop.newSucceededFuture(List.of(Client.LOOPBACK)),
                    null,
                    new DialGuard(CidrSet.of(List.of(IpRange.parse("0.0.0.0/0"))), List.of())));
    private final OperatorHttp http = new OperatorHttp(client.loops.group(), client.pools);

    @AfterEach
    void close() {
        client.close();
    }

    private static URI uri(TestOrigin origin, String rest) {
        return URI.create("http://Token.Test:" + origin.port() + rest);
    }

    private HttpReply reply(HttpCall call) throws Exception {
        return http.call(call).toCompletableFuture().get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private Throwable fault(HttpCall call) {
        try {
            HttpReply reply = reply(call);
            throw new AssertionError("status: " + reply.status() + " (expected: a failure)");
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Container networks have such names; {@link URI} finds no host in them. */
    @Test
    void aHostMayHaveAnUnderscore() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
            seen.add(peer.readHead());
            peer.send("HTTP/1.1 204 No Content\r\n\r\n");
        })) {
            HttpCall call = HttpCall.to("GET", URI.create("http://my_judge:" + origin.port() + "/v1"))
                    .build();

            assertThat(call.host()).isEqualTo("my_judge");
            assertThat(call.port()).isEqualTo(origin.port());
            assertThat(reply(call).status()).isEqualTo(204);
            assertThat(seen.take()).startsWith("GET /v1 HTTP/1.1\r\nHost: my_judge:" + origin.port() + "\r\n");
        }
        assertThat(HttpCall.to("GET", URI.create("https://my_judge/v1")).build().port())
                .isEqualTo(443);
        for (String none : List.of("http:///v1", "http://user@my_judge/", "http://my_judge:x/", "http:my_judge")) {
            assertThatThrownBy(() -> HttpCall.to("GET", URI.create(none)))
                    .as(none)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void sendsWhatItWasToldAndReturnsTheWholeReplyPastTheGuard() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
            seen.add(peer.readHead());
            seen.add(peer.read(3));
            peer.send("HTTP/1.1 201 Created\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        })) {
            HttpReply reply = reply(HttpCall.to("POST", uri(origin, "/a%20b?c=%2F"))
                    .header("Authorization", "Bearer x")
                    .header("host", "ignored")
                    .header("Connection", "close")
                    .body("a=b")
                    .build());

            assertThat(reply.status()).isEqualTo(201);
            assertThat(reply.headers().first("x")).isEqualTo("y");
            assertThat(reply.headers().contains("Transfer-Encoding")).isFalse();
            assertThat(reply.body()).asString(StandardCharsets.UTF_8).isEqualTo("abc");
            assertThat(seen.take())
                    .isEqualTo("POST /a%20b?c=%2F HTTP/1.1\r\nHost: token.test:" + origin.port()
                            + "\r\nAuthorization: Bearer x\r\nAccept-Encoding: identity\r\nContent-Length: 3");
            assertThat(seen.take()).isEqualTo("a=b");
        }
    }

    @Test
    void removesContentCodings() throws Exception {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write("plain text".getBytes(StandardCharsets.UTF_8));
        }
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + coded.size() + "\r\n\r\n");
            peer.out().write(coded.toByteArray());
            peer.readToEnd();
        })) {
            HttpReply reply = reply(HttpCall.to("GET", uri(origin, "")).build());

            assertThat(reply.body()).asString(StandardCharsets.UTF_8).isEqualTo("plain text");
            assertThat(reply.headers().contains("Content-Encoding")).isFalse();
        }
    }

    @Test
    void failsOnACodingThatIsNotKnown() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: x-odd\r\nContent-Length: 1\r\n\r\nx");
            peer.readToEnd();
        })) {
            assertThat(fault(HttpCall.to("GET", uri(origin, "/")).build())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void failsOnAReplyThatIsTooLong() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.readHead();
            peer.ok("0123456789");
            peer.readToEnd();
        })) {
            HttpCall.Builder call = HttpCall.to("GET", uri(origin, "/"));

            assertThat(fault(call.maxReplyBytes(9).build()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("longer than 9 bytes");
        }
    }

    @Test
    void failsOnACodedReplyThatIsTooLongOnceDecoded() throws Exception {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(new byte[100_000]);
        }
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + coded.size() + "\r\n\r\n");
            peer.out().write(coded.toByteArray());
            peer.readToEnd();
        })) {
            HttpCall.Builder call = HttpCall.to("GET", uri(origin, "/"));

            assertThat(fault(call.maxReplyBytes(1000).build())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void limitsEverythingByTheTimeoutOfTheCall() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
            peer.readToEnd();
            seen.add("closed");
        })) {
            HttpCall.Builder call = HttpCall.to("GET", uri(origin, "/"));

            assertThat(fault(call.timeout(Duration.ofMillis(50)).build())).isInstanceOf(TimeoutException.class);
            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("closed");
        }
    }

    @Test
    void givesTheCallUpWhenCancelled() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
            peer.readHead();
            begun.countDown();
            peer.readToEnd();
            seen.add("closed");
        })) {
            CompletableFuture<HttpReply> call =
                    http.call(HttpCall.to("GET", uri(origin, "/")).build()).toCompletableFuture();
            assertThat(begun.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

            call.cancel(false);

            assertThat(seen.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("closed");
            assertThatThrownBy(call::join).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void repeatsOnlyWhatMayBeRepeatedWhenAPooledConnectionWasClosed() throws Exception {
        try (TestOrigin origin = TestOrigin.of(
                peer -> {
                    peer.readHead();
                    peer.ok("first");
                    peer.readHead();
                },
                peer -> {
                    peer.readHead();
                    peer.ok("second");
                    peer.readToEnd();
                })) {
            HttpCall get = HttpCall.to("GET", uri(origin, "/")).build();
            assertThat(reply(get).body()).asString(StandardCharsets.UTF_8).isEqualTo("first");

            assertThat(reply(get).body()).asString(StandardCharsets.UTF_8).isEqualTo("second");

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void sendsWhatMayNotBeRepeatedOnAConnectionOfItsOwn() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
            while (true) {
                peer.readHead();
                peer.ok("ok");
            }
        })) {
            reply(HttpCall.to("GET", uri(origin, "/")).build());

            reply(HttpCall.to("POST", uri(origin, "/")).build());

            assertThat(origin.connections()).isEqualTo(2);
        }
    }

    @Test
    void failsWithAnIoExceptionWhenNobodyListens() throws Exception {
        URI gone = URI.create("http://token.test:" + Client.unusedPort() + "/");

        assertThat(fault(HttpCall.to("GET", gone).build()))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("connection refused");
    }
}

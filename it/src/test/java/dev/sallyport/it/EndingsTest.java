package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * However an exchange ends, it leaves exactly one audit record, and gives back its permit and its lease: each ending is
 * driven more often than there are permits.
 */
class EndingsTest {

    private static final int PERMITS = 64;
    private static final int ROUNDS = 70;

    private static final String OK = TestOrigin.ok("x");
    private static final TestOrigin.Script FINE = TestOrigin.always(OK);

    /** Gets an entry when the proxy is where a client is about to leave it. */
    private static final BlockingQueue<Boolean> AT_WORK = new LinkedBlockingQueue<>();

    private static final TestOrigin.Script SILENT = peer -> {
        peer.readHead();
        AT_WORK.add(true);
        peer.readToEnd();
    };

    @TempDir
    Path folder;

    /** What a client does; the connection is closed afterwards. */
    interface Client {
        void run(Wire wire, String host) throws Exception;
    }

    record Ending(
            String name,
            Capabilities capabilities,
            Transform transform,
            TestOrigin.Script origin,
            Client client,
            String action,
            int status) {

        static Ending of(
                String name, Transform transform, TestOrigin.Script origin, Client client, String action, int status) {
            return new Ending(name, TestProxy.everything(), transform, origin, client, action, status);
        }

        static Ending inline(String name, InlineTransform transform, String action, int status) {
            return of(name, transform, FINE, gets(status), action, status);
        }

        static Ending inline(
                String name,
                InlineTransform transform,
                TestOrigin.Script origin,
                Client client,
                String action,
                int status) {
            return of(name, transform, origin, client, action, status);
        }

        static Ending origin(String name, TestOrigin.Script origin, Client client, String action, int status) {
            return of(name, PROCEED, origin, client, action, status);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final InlineTransform PROCEED = request -> Decision.proceed();

    private static Client gets(int status) {
        return (wire, host) -> {
            wire.send(head("GET / HTTP/1.1", "Host: " + host));
            assertThat(wire.readHead()).startsWith("HTTP/1.1 " + status);
        };
    }

    private static Client posts(int status, String body) {
        return (wire, host) -> {
            wire.send(head("POST / HTTP/1.1", "Host: " + host, "Content-Length: " + body.length()) + body);
            assertThat(wire.readHead()).startsWith("HTTP/1.1 " + status);
        };
    }

    /** Asks, and leaves once the proxy is at work. The end of its half alone would not say that it has left. */
    private static Client leaves(String request) {
        return (wire, host) -> {
            wire.send(request.replace("HOST", host));
            assertThat(AT_WORK.poll(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            wire.reset();
        };
    }

    private static <T> CompletableFuture<T> never() {
        AT_WORK.add(true);
        return new CompletableFuture<>();
    }

    private static Client getsBrokenBody() {
        return (wire, host) -> {
            wire.send(head("GET / HTTP/1.1", "Host: " + host));
            assertThat(wire.readHead()).startsWith("HTTP/1.1 200");
            assertThat(wire.readToEnd()).doesNotContain("0\r\n\r\n");
        };
    }

    private static InlineTransform onResponse(ResponseStep step) {
        return request -> Decision.proceed(Edits.none(), step);
    }

    private static InlineTransform reading(RequestStep step) {
        return request -> Decision.read(Buffered.whole(), step);
    }

    private static final class Failing implements BodyRewriter {
        @Override
        public void write(ByteBuffer in, Sink out) {
            throw new IllegalStateException("top secret");
        }

        @Override
        public void end(Sink out) {}
    }

    private static final class Refusing implements BodyRewriter {
        @Override
        public void write(ByteBuffer in, Sink out) {
            throw new LateRejectException(Decision.reject(403, "found_it", "What is in this body is refused."));
        }

        @Override
        public void end(Sink out) {}
    }

    private static final class RefusingCheck implements BodyCheck {
        @Override
        public void data(ByteBuffer bytes) {}

        @Override
        public void end() {
            throw new LateRejectException(Decision.reject(403, "found_it", "What is in this body is refused."));
        }
    }

    static Stream<Ending> endings() {
        String get = head("GET / HTTP/1.1", "Host: HOST");
        return Stream.of(
                Ending.origin("forwarded", FINE, gets(200), "allow", 200),
                Ending.origin(
                        "with a body",
                        peer -> {
                            while (true) {
                                peer.message();
                                peer.send(OK);
                            }
                        },
                        posts(200, "hello"),
                        "allow",
                        200),
                Ending.inline("rejected by the head", request -> Decision.reject(403, "no", "No."), "reject", 403),
                Ending.inline(
                        "rejected by the body",
                        reading(RequestStep.inline(read -> Decision.reject(422, "no", "No."))),
                        FINE,
                        posts(422, "hello"),
                        "reject",
                        422),
                Ending.inline(
                        "rejected in the transform's own words",
                        request -> Decision.reject(418, "no", "No.")
                                .with(StubResponse.status(418).body("tea").build()),
                        "reject",
                        418),
                Ending.inline("stubbed", request -> Decision.respond(StubResponse.json("{}")), "stub", 200),
                Ending.inline(
                        "stubbed from the body",
                        reading(RequestStep.inline(read -> Decision.respond(StubResponse.json("{}")))),
                        FINE,
                        posts(200, "hello"),
                        "stub",
                        200),
                Ending.inline(
                        "a transform throws",
                        request -> {
                            throw new IllegalStateException("top secret");
                        },
                        "error",
                        500),
                Ending.inline(
                        "an error is thrown",
                        request -> {
                            throw new StackOverflowError("top secret");
                        },
                        "error",
                        500),
                Ending.inline("a transform decides nothing", request -> null, "error", 500),
                Ending.of("a stage without a future", request -> null, FINE, gets(500), "error", 500),
                Ending.of(
                        "a stage that has failed",
                        request -> CompletableFuture.failedFuture(new IllegalStateException("top secret")),
                        FINE,
                        gets(500),
                        "error",
                        500),
                Ending.of(
                        "a stage that fails elsewhere",
                        request -> CompletableFuture.supplyAsync(() -> {
                            throw new IllegalStateException("top secret");
                        }),
                        FINE,
                        gets(500),
                        "error",
                        500),
                Ending.of(
                        "a stage that decides elsewhere",
                        request -> CompletableFuture.supplyAsync(Decision::proceed),
                        FINE,
                        gets(200),
                        "allow",
                        200),
                new Ending(
                        "a stage that is late",
                        Capabilities.builder().deadline(Duration.ofMillis(5)).build(),
                        request -> new CompletableFuture<>(),
                        FINE,
                        gets(503),
                        "error",
                        503),
                Ending.of(
                        "a blocking step",
                        (BlockingTransform) request -> Decision.proceed(),
                        FINE,
                        gets(200),
                        "allow",
                        200),
                Ending.of(
                        "a blocking step that throws",
                        (BlockingTransform) request -> {
                            throw new java.io.IOException("top secret");
                        },
                        FINE,
                        gets(500),
                        "error",
                        500),
                Ending.of(
                        "a note that no record can hold",
                        request -> CompletableFuture.supplyAsync(() -> {
                            request.trace().group("audit", java.util.Map.of());
                            return Decision.proceed();
                        }),
                        FINE,
                        gets(500),
                        "error",
                        500),
                new Ending(
                        "an edit that was not declared",
                        Capabilities.none(),
                        (InlineTransform) request -> Decision.proceed(
                                Edits.builder().setHeader("X", "1").build()),
                        FINE,
                        gets(500),
                        "error",
                        500),
                Ending.inline(
                        "a field of the engine is edited",
                        request -> Decision.proceed(
                                Edits.builder().setHeader("host", "other").build()),
                        "error",
                        500),
                Ending.inline(
                        "the body is too long",
                        request -> Decision.read(Buffered.whole(3), RequestStep.inline(read -> Decision.proceed())),
                        FINE,
                        posts(413, "hello"),
                        "reject",
                        413),
                Ending.inline(
                        "a coding that nobody knows",
                        reading(RequestStep.inline(read -> Decision.proceed())),
                        FINE,
                        (wire, host) -> {
                            wire.send(head(
                                            "POST / HTTP/1.1",
                                            "Host: " + host,
                                            "Content-Encoding: rot13",
                                            "Content-Length: 5")
                                    + "hello");
                            assertThat(wire.readHead()).startsWith("HTTP/1.1 415");
                        },
                        "reject",
                        415),
                Ending.inline(
                        "a rewriter throws before the head has left",
                        request -> Decision.proceed(
                                Edits.builder().rewriteBody(new Failing()).build()),
                        FINE,
                        posts(500, "hello"),
                        "error",
                        500),
                Ending.inline(
                        "a rewriter refuses what it finds behind the head",
                        request -> Decision.proceed(
                                Edits.builder().rewriteBody(new Refusing()).build()),
                        FINE,
                        posts(403, "hello"),
                        "reject",
                        403),
                Ending.inline(
                        "a check refuses the body at its end",
                        request -> Decision.proceed(
                                Edits.builder().checkBody(new RefusingCheck()).build()),
                        FINE,
                        posts(403, "hello"),
                        "reject",
                        403),
                Ending.inline(
                        "the body of the request is malformed",
                        reading(RequestStep.inline(read -> Decision.proceed())),
                        FINE,
                        (wire, host) -> {
                            wire.send(
                                    head("POST / HTTP/1.1", "Host: " + host, "Transfer-Encoding: chunked") + "zz\r\n");
                            assertThat(wire.readHead()).startsWith("HTTP/1.1 400");
                        },
                        "reject",
                        400),
                Ending.origin("the origin is gone", Wire::reset, gets(502), "error", 502),
                Ending.origin("the origin closes without an answer", Wire::readHead, gets(502), "error", 502),
                Ending.origin(
                        "the origin speaks something else",
                        peer -> {
                            peer.readHead();
                            peer.send("HELO there\r\n\r\n");
                            peer.readToEnd();
                        },
                        gets(502),
                        "error",
                        502),
                Ending.origin(
                        "the body of the response breaks off",
                        peer -> {
                            peer.readHead();
                            peer.send(head("HTTP/1.1 200 OK", "Content-Length: 10") + "hello");
                        },
                        getsBrokenBody(),
                        "error",
                        200),
                Ending.origin(
                        "the chunked response breaks off",
                        peer -> {
                            peer.readHead();
                            peer.send(head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"))
                                    .chunk("hello");
                        },
                        getsBrokenBody(),
                        "error",
                        200),
                Ending.inline(
                        "the response breaks off while it is read",
                        onResponse(Reading.response()),
                        peer -> {
                            peer.readHead();
                            peer.send(head("HTTP/1.1 200 OK", "Content-Length: 10") + "hello");
                        },
                        gets(502),
                        "error",
                        502),
                Ending.inline(
                        "the response is refused",
                        onResponse(ResponseStep.inline(head -> ResponseDecision.refuse("no", "No."))),
                        "reject",
                        502),
                Ending.inline(
                        "the response is replaced",
                        onResponse(ResponseStep.inline(head -> ResponseDecision.replace(
                                StubResponse.status(203).body("new").build()))),
                        "allow",
                        203),
                Ending.inline(
                        "the response is replaced once it was read",
                        onResponse(ResponseStep.inline(head -> ResponseDecision.read(
                                Buffered.whole(),
                                ResponseStep.inline(read -> ResponseDecision.replace(
                                        StubResponse.status(203).body("new").build()))))),
                        "allow",
                        203),
                Ending.inline(
                        "a response step throws",
                        onResponse(ResponseStep.inline(head -> {
                            throw new IllegalStateException("top secret");
                        })),
                        "error",
                        500),
                Ending.inline(
                        "a response step fails at once",
                        onResponse(ResponseStep.async(
                                head -> CompletableFuture.failedFuture(new IllegalStateException("top secret")))),
                        "error",
                        500),
                Ending.inline(
                        "a response step throws elsewhere",
                        onResponse(ResponseStep.blocking(head -> {
                            throw new java.io.IOException("top secret");
                        })),
                        "error",
                        500),
                Ending.inline(
                        "a rewriter of the response throws",
                        onResponse(ResponseStep.inline(head -> ResponseDecision.proceed(
                                Edits.builder().rewriteBody(new Failing()).build()))),
                        "error",
                        500),
                Ending.inline(
                        "a rewriter of the response refuses what it finds",
                        onResponse(ResponseStep.inline(head -> ResponseDecision.proceed(
                                Edits.builder().rewriteBody(new Refusing()).build()))),
                        "reject",
                        403),
                Ending.inline(
                        "a check refuses the response after its head",
                        onResponse(ResponseStep.inline(head -> ResponseDecision.proceed(
                                Edits.builder().checkBody(new RefusingCheck()).build()))),
                        FINE,
                        (wire, host) -> {
                            wire.send(get.replace("HOST", host));
                            assertThat(wire.readToEnd()).doesNotEndWith("\r\n\r\nx");
                        },
                        "error",
                        200),
                Ending.origin("the client leaves before the answer", SILENT, leaves(get), "client_cancel", 0),
                Ending.of("the client leaves during a step", request -> never(), FINE, leaves(get), "client_cancel", 0),
                Ending.of(
                        "the client leaves during a blocking step",
                        (BlockingTransform) request -> {
                            AT_WORK.add(true);
                            new CountDownLatch(1).await();
                            return Decision.proceed();
                        },
                        FINE,
                        leaves(get),
                        "client_cancel",
                        0),
                Ending.inline(
                        "the client leaves while its body is read",
                        request -> {
                            AT_WORK.add(true);
                            return Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed()));
                        },
                        FINE,
                        leaves(head("POST / HTTP/1.1", "Host: HOST", "Content-Length: 10") + "hello"),
                        "client_cancel",
                        0),
                Ending.origin(
                        "the client leaves while its body is forwarded",
                        SILENT,
                        leaves(head("POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked") + "5\r\nhello\r\n"),
                        "client_cancel",
                        0),
                Ending.origin(
                        "the client leaves in the middle of the answer",
                        peer -> {
                            peer.readHead();
                            peer.send(head("HTTP/1.1 200 OK", "Content-Length: 10") + "hello");
                            peer.readToEnd();
                        },
                        (wire, host) -> {
                            wire.send(head("GET / HTTP/1.1", "Host: " + host));
                            wire.readThrough("hello");
                            wire.reset();
                        },
                        "client_cancel",
                        200),
                Ending.inline(
                        "the client leaves during a response step",
                        onResponse(ResponseStep.async(head -> never())),
                        FINE,
                        leaves(get),
                        "client_cancel",
                        0),
                Ending.origin(
                        "the answer comes before the request is complete",
                        peer -> {
                            peer.readHead();
                            peer.send(OK);
                            peer.readToEnd();
                        },
                        (wire, host) -> {
                            wire.send(head("POST / HTTP/1.1", "Host: " + host, "Content-Length: 10") + "hello");
                            assertThat(wire.message().body()).isEqualTo("x");
                        },
                        "allow",
                        200));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void everyEndingLeavesOneRecordAndGivesEverythingBack(Ending ending) throws Exception {
        List<JsonNode> records;
        try (TestOrigin origin = TestOrigin.of(ending.origin());
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "limits: {drain_timeout: 10s}")
                        .sections("log: {audit: {slots: " + PERMITS + "}}\n")
                        .transform("x", ending.capabilities(), ending.transform())
                        .start()) {
            for (int i = 0; i < ROUNDS; i++) {
                try (Wire wire = proxy.http()) {
                    ending.client().run(wire, origin.authority());
                }
                JsonNode record = proxy.record();
                JsonNode audit = record.get("audit");
                assertThat(audit.get("action").asText()).as(record.toString()).isEqualTo(ending.action());
                assertThat(audit.get("status_code").asInt())
                        .as(record.toString())
                        .isEqualTo(ending.status());
                assertThat(record.toString()).doesNotContain("top secret");
            }
            records = proxy.closeAndRecords();
        }
        assertThat(records).hasSize(ROUNDS);
    }
}

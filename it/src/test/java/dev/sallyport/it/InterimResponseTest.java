package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.ResponseContext;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Http2Peer.Frame;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Heads of 103 on their way through response steps that leave the loop: in order, and before the final head. */
class InterimResponseTest {

    @TempDir
    Path folder;

    /** What the asynchronous step is asked; the test answers. */
    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();

    private record Asked(int status, String link, CompletableFuture<ResponseDecision> answer) {}

    /** How the client speaks to the proxy, and the proxy to the origin. */
    enum Protocol {
        HTTP1 {
            @Override
            TestOrigin.Script answers(String... links) {
                return peer -> {
                    peer.readHead();
                    StringBuilder all = new StringBuilder();
                    for (String link : links) {
                        all.append(head("HTTP/1.1 103 Early Hints", "Link: " + link));
                    }
                    peer.send(all + TestOrigin.ok("x"));
                    peer.readToEnd();
                };
            }

            @Override
            List<String> get(Wire wire, TestOrigin origin) throws Exception {
                wire.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                List<String> heads = new ArrayList<>();
                String next = wire.readHead();
                while (next.startsWith("HTTP/1.1 1")) {
                    heads.add(text(next.substring("HTTP/1.1 ".length()).lines().toList()));
                    next = wire.readHead();
                }
                heads.add(next.substring("HTTP/1.1 ".length(), 12) + " " + wire.read(1));
                return heads;
            }
        },
        HTTP2 {
            @Override
            TestOrigin.Script answers(String... links) {
                return peer -> {
                    Http2Peer wire = peer.http2();
                    int stream = wire.request();
                    for (String link : links) {
                        wire.headers(stream, false, ":status", "103", "link", link);
                    }
                    wire.ok(stream, "x");
                    peer.readToEnd();
                };
            }

            @Override
            List<String> get(Wire wire, TestOrigin origin) throws Exception {
                Http2Peer client = Http2Peer.connect(wire);
                client.headers(
                        1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", origin.authority());
                List<String> heads = new ArrayList<>();
                List<String> next = client.fields(client.next(Http2Peer.HEADERS));
                while (next.getFirst().startsWith(":status: 1")) {
                    heads.add(text(next));
                    next = client.fields(client.next(Http2Peer.HEADERS));
                }
                Frame data = client.next(Http2Peer.DATA);
                heads.add(next.getFirst().substring(":status: ".length()) + " " + data.text());
                return heads;
            }
        };

        /** Each interim head as its status and its field lines, then status and body of the final one. */
        abstract List<String> get(Wire wire, TestOrigin origin) throws Exception;

        /** Sends heads of 103 with these links and the final head behind them. */
        abstract TestOrigin.Script answers(String... links);

        private static String text(List<String> lines) {
            return String.join(" ", lines)
                    .toLowerCase(Locale.ROOT)
                    .replace("early hints ", "")
                    .replace(":status: ", "");
        }
    }

    private static InlineTransform leaving(ResponseStep step) {
        return request -> Decision.proceed(Edits.none(), step);
    }

    private static ResponseDecision noting(String by, ResponseContext response) {
        return ResponseDecision.proceed(
                Edits.builder().addHeader(by, response.head().status() + "").build());
    }

    private ResponseStep asking() {
        return ResponseStep.async(response -> {
            if (response.request().path().equals("/quick")) {
                return CompletableFuture.completedFuture(ResponseDecision.proceed());
            }
            CompletableFuture<ResponseDecision> answer = new CompletableFuture<>();
            asked.add(new Asked(
                    response.head().status(), response.head().headers().first("Link"), answer));
            return answer;
        });
    }

    private Asked asked() throws InterruptedException {
        Asked next = asked.poll(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("a question to the asynchronous step").isNotNull();
        return next;
    }

    private TestProxy.Builder proxy(Duration deadline, ResponseStep step) {
        Capabilities capabilities = Capabilities.builder()
                .writes(Part.RESPONSE_HEADERS)
                .deadline(deadline)
                .build();
        return TestProxy.builder(folder).loops(1).transform("asking", capabilities, leaving(step));
    }

    @ParameterizedTest
    @EnumSource
    void passesEveryStepInOrderAndPrecedesTheFinalHead(Protocol protocol) throws Exception {
        try (TestOrigin origin = TestOrigin.of(protocol.answers("</a>", "</b>"));
                TestOrigin other = TestOrigin.answering(TestOrigin.ok("y"));
                TestProxy proxy = proxy(Duration.ofSeconds(20), asking())
                        .transform(
                                "waiting",
                                TestProxy.everything(),
                                leaving(ResponseStep.blocking(response -> noting("X-Blocking", response))))
                        .transform(
                                "computing",
                                TestProxy.everything(),
                                leaving(ResponseStep.inline(response -> noting("X-Inline", response))))
                        .start();
                Wire wire = proxy.http()) {
            CompletableFuture<List<String>> heads = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    heads.complete(protocol.get(wire, origin));
                } catch (Exception e) {
                    heads.completeExceptionally(e);
                }
            });

            // given: the first hint is held, and all the rest has come
            Asked first = asked();
            assertThat(first.link).isEqualTo("</a>");
            assertThat(proxy.get(other, "/quick").body())
                    .as("the loop serves others")
                    .isEqualTo("y");
            assertThat(asked).as("nothing overtakes").isEmpty();
            first.answer.complete(ResponseDecision.proceed(
                    Edits.builder().addHeader("X-Async", "1").build()));
            Asked second = asked();
            assertThat(second.link).isEqualTo("</b>");
            second.answer.complete(ResponseDecision.proceed());
            Asked last = asked();
            assertThat(last.status).isEqualTo(200);
            last.answer.complete(ResponseDecision.proceed());

            // then
            assertThat(heads.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .containsExactly(
                            "103 link: </a> x-inline: 103 x-blocking: 103 x-async: 1",
                            "103 link: </b> x-inline: 103 x-blocking: 103",
                            "200 x");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLateStepCostsTheHintAndNotTheAnswer(Protocol protocol) throws Exception {
        ResponseStep late = ResponseStep.async(response -> response.head().interim()
                ? new CompletableFuture<>()
                : CompletableFuture.completedFuture(ResponseDecision.proceed()));
        try (TestOrigin origin = TestOrigin.of(protocol.answers("</a>", "</b>"));
                TestProxy proxy = proxy(Duration.ofMillis(500), late).start();
                Wire wire = proxy.http()) {
            assertThat(protocol.get(wire, origin)).containsExactly("200 x");

            JsonNode steps = proxy.record().get("response_transforms");
            assertThat(steps.findValuesAsText("action")).containsExactly("error", "error", "allow");
            assertThat(steps.get(0).get("error").asText()).contains("within its deadline");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDecisionThatAHintCannotHaveCostsTheHintAndNotTheAnswer(Protocol protocol) throws Exception {
        ResponseStep refusing = ResponseStep.blocking(response ->
                response.head().interim() ? ResponseDecision.refuse("no", "No hints.") : ResponseDecision.proceed());
        try (TestOrigin origin = TestOrigin.of(protocol.answers("</a>"));
                TestProxy proxy = proxy(Duration.ofSeconds(20), refusing).start();
                Wire wire = proxy.http()) {
            assertThat(protocol.get(wire, origin)).containsExactly("200 x");
        }
    }

    @Test
    void anObserverThatFailsCostsNothing() throws Exception {
        Capabilities observer = Capabilities.builder().observer().build();
        ResponseStep failing = ResponseStep.async(response -> CompletableFuture.failedFuture(new Exception("no")));
        try (TestOrigin origin = TestOrigin.of(Protocol.HTTP1.answers("</a>"));
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("watching", observer, leaving(failing))
                        .start();
                Wire wire = proxy.http()) {
            assertThat(Protocol.HTTP1.get(wire, origin)).containsExactly("103 link: </a>", "200 x");
        }
    }

    /** No hint may follow the refusal: it would be read as belonging to the next response. */
    @Test
    void whatIsStillHeldWhenTheOriginBreaksOffIsDropped() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(head("HTTP/1.1 103 Early Hints", "Link: </a>"));
                    peer.send(head("HTTP/1.1 2xx"));
                });
                TestProxy proxy = proxy(Duration.ofSeconds(20), asking()).start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            Asked held = asked();
            assertThat(client.message().status()).isEqualTo(502);
            held.answer.complete(ResponseDecision.proceed());
            client.send(head("GET /quick HTTP/1.1", "Host: " + origin.authority()));

            assertThat(client.readHead()).startsWith("HTTP/1.1 103");
            assertThat(client.message().status()).isEqualTo(502);
            assertThat(held.answer).isCancelled();
        }
    }

    @Test
    void aClientThatLeavesEndsTheWait() throws Exception {
        try (TestOrigin origin = TestOrigin.of(Protocol.HTTP1.answers("</a>"));
                TestProxy proxy = proxy(Duration.ofSeconds(20), asking()).start()) {
            Asked held;
            try (Wire client = proxy.http()) {
                client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                held = asked();
                client.reset();
            }
            await().until(held.answer::isCancelled);
            assertThat(proxy.record().at("/audit/action").asText()).isEqualTo("client_cancel");
            assertThat(asked).isEmpty();
        }
    }

    /** More hints than all buffers on the way hold, of which the client's own would grow to tens of megabytes. */
    @Tag("long")
    @Test
    void hintsForAClientThatDoesNotReadAreDropped() throws Exception {
        int hints = 10;
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        String hint = head("HTTP/1.1 103 Early Hints", "Link: " + "x".repeat(900_000));
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    for (int i = 0; i < hints; i++) {
                        peer.send(hint);
                    }
                    peer.send(TestOrigin.ok("x"));
                    sent.countDown();
                    assertThat(read.await(50, TimeUnit.SECONDS)).isTrue();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "upstream: {header_bytes: 1MiB}",
                                "upstream_response_header_timeout: 120s")
                        .start();
                Wire client = Wire.withReceiveBuffer(proxy.proxy().httpAddress(), 64 * 1024)) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            assertThat(sent.await(50, TimeUnit.SECONDS)).isTrue();

            int seen = 0;
            String next = client.readHead();
            while (next.startsWith("HTTP/1.1 103")) {
                seen++;
                next = client.readHead();
            }
            assertThat(next).startsWith("HTTP/1.1 200");
            assertThat(seen).isLessThan(hints);
            read.countDown();
        }
    }
}

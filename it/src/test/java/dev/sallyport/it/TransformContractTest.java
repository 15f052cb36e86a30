package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a transform can rely on, and what it cannot do. */
class TransformContractTest {

    private static final InlineTransform WARN = request -> Decision.proceedWithoutCredentials();

    @TempDir
    Path folder;

    /** Each request as the origin got it: head, a bar, the body. */
    private final BlockingQueue<String> forwarded = new LinkedBlockingQueue<>();

    private TestOrigin origin() throws Exception {
        return TestOrigin.of(peer -> {
            while (true) {
                Wire.Message message = peer.message();
                forwarded.add(message.head() + "|" + message.body());
                peer.send(TestOrigin.ok("done"));
            }
        });
    }

    private static Capabilities signer() {
        return Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.SIGNS)
                .build();
    }

    private static Capabilities observer() {
        return Capabilities.builder()
                .reads(Part.REQUEST_BODY, Part.RESPONSE_BODY)
                .writes(Part.REQUEST_HEADERS)
                .observer()
                .build();
    }

    private static Capabilities discloser() {
        return Capabilities.builder()
                .reads(Part.REQUEST_BODY)
                .effects(Effect.DISCLOSES_CONTENT)
                .build();
    }

    private static Wire.Message post(TestProxy proxy, TestOrigin origin, String body) throws Exception {
        try (Wire client = proxy.http()) {
            return client.send(head(
                                    "POST /p?q=1 HTTP/1.1",
                                    "Host: " + origin.authority(),
                                    "Content-Length: " + body.length())
                            + body)
                    .message();
        }
    }

    private static InlineTransform editing(Edits edits) {
        return request -> Decision.proceed(edits);
    }

    // What is decided about the body.

    private static final class RefusingAtTheEnd implements BodyCheck {

        @Override
        public void data(ByteBuffer bytes) {}

        @Override
        public void end() {
            throw new LateRejectException(Decision.reject(403, "found_it", "What is in this body is refused."));
        }
    }

    private static final class FailingAtTheEnd implements BodyCheck {

        @Override
        public void data(ByteBuffer bytes) {}

        @Override
        public void end() {
            throw new IllegalStateException("broken");
        }
    }

    private static void assertStage(JsonNode stage, String action, String code) {
        assertThat(stage.path("action").asText()).as(stage.toString()).isEqualTo(action);
        assertThat(stage.at("/annotations/code").asText()).isEqualTo(code);
    }

    @Test
    void aRefusalBehindTheHeadHasItsCodeInTheRecord() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "check",
                                TestProxy.everything(),
                                editing(Edits.builder()
                                        .checkBody(new RefusingAtTheEnd())
                                        .build()))
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(403);

            JsonNode record = proxy.record();
            assertThat(record.get("rejected_by").asText()).isEqualTo("check");
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertStage(record.at("/request_transforms/0"), "reject", "found_it");
        }
    }

    @Test
    void aRefusalWhileALaterTransformReadsHasItsCodeInTheRecord() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "check",
                                TestProxy.everything(),
                                editing(Edits.builder()
                                        .checkBody(new RefusingAtTheEnd())
                                        .build()))
                        .transform("reader", TestProxy.everything(), (InlineTransform) request ->
                                Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed())))
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(403);

            JsonNode record = proxy.record();
            assertThat(record.get("rejected_by").asText()).isEqualTo("check");
            assertStage(record.at("/request_transforms/0"), "reject", "found_it");
        }
    }

    @Test
    void aCheckOfTheRequestThatFailsIsNamedInTheRecord() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "check",
                                TestProxy.everything(),
                                editing(Edits.builder()
                                        .checkBody(new FailingAtTheEnd())
                                        .build()))
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(500);

            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("transform_failed: ");
            assertStage(record.at("/request_transforms/0"), "error", "transform_failed");
        }
    }

    @Test
    void aRefusalOfTheResponseBehindItsHeadHasItsCodeInTheRecord() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("check", TestProxy.everything(), (InlineTransform) request -> Decision.proceed(
                                Edits.none(),
                                ResponseStep.inline(head -> ResponseDecision.proceed(Edits.builder()
                                        .checkBody(new RefusingAtTheEnd())
                                        .build()))))
                        .start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            client.readToEnd();

            JsonNode record = proxy.record();
            assertThat(record.get("rejected_by").asText()).isEqualTo("check");
            assertThat(record.get("error").asText()).isEqualTo("found_it");
            assertStage(record.at("/response_transforms/0"), "reject", "found_it");
        }
    }

    @Test
    void aBodyThatCannotBeReadIsRecordedWithItsCodeAndIsTheClientsFault() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("reader", TestProxy.everything(), (InlineTransform) request ->
                                Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed())))
                        .start();
                Wire client = proxy.http()) {
            Wire.Message answer = client.send(head(
                                    "POST / HTTP/1.1",
                                    "Host: " + origin.authority(),
                                    "Content-Encoding: gzip",
                                    "Content-Length: 5")
                            + "hello")
                    .message();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.head()).contains("Proxy-Status: sallyport; error=http_request_error");
            JsonNode record = proxy.record();
            assertThat(record.get("error").asText()).startsWith("corrupt_body: reader: ");
            assertThat(record.get("rejected_by").asText()).isEqualTo("reader");
            assertStage(record.at("/request_transforms/0"), "error", "corrupt_body");
        }
    }

    // Credentials that must not go.

    @Test
    void aWarningTakesBackWhatEarlierTransformsInjectedButKeepsWhatStoodBeforeThem() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "plain",
                                Capabilities.builder()
                                        .writes(Part.REQUEST_HEADERS)
                                        .build(),
                                editing(Edits.builder()
                                        .addHeader("X-Plain", "1")
                                        .build()))
                        .transform(
                                "injector",
                                editing(Edits.builder()
                                        .addHeader("X-Also", "1")
                                        .sensitive()
                                        .addHeader("Authorization", "s3cret")
                                        .setPath("/s3cret")
                                        .setQuery("s3cret")
                                        .build()))
                        .transform(
                                "signer",
                                signer(),
                                editing(Edits.builder()
                                        .addHeader("X-Signature", "sig")
                                        .build()))
                        .transform("allowlist", Capabilities.none(), WARN)
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(200);

            assertThat(forwarded.take())
                    .isEqualTo("POST /p?q=1 HTTP/1.1\r\nHost: " + origin.authority()
                            + "\r\nContent-Length: 1\r\nX-Plain: 1|b");
            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("path").asText()).isEqualTo("/p?q=1");
            assertThat(record.get("request_transforms").findValuesAsText("name"))
                    .containsExactly("plain", "injector", "signer", "allowlist", "sentinel");
            assertThat(record.get("request_transforms").findValuesAsText("skipped"))
                    .containsExactly("not_allowlisted", "not_allowlisted");
            assertThat(record.toString()).doesNotContain("s3cret");
        }
    }

    @Test
    void aWarningTakesBackASignatureAlone() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "signer",
                                signer(),
                                editing(Edits.builder()
                                        .addHeader("X-Signature", "sig")
                                        .build()))
                        .transform("allowlist", Capabilities.none(), WARN)
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(200);
            assertThat(forwarded.take()).doesNotContain("X-Signature");
        }
    }

    @Test
    void aWarningDropsARewriterThatCarriesASecret() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "injector",
                                request -> Decision.proceed(Edits.builder()
                                        .sensitive()
                                        .rewriteBody(new Appending("s3cret"))
                                        .build()))
                        .transform("allowlist", Capabilities.none(), WARN)
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(200);
            assertThat(forwarded.take()).endsWith("|b");
        }
    }

    @Test
    void aBodyThatAlreadyCarriesASecretCannotGoOnWithoutIt() throws Exception {
        for (Capabilities warner :
                List.of(Capabilities.none(), Capabilities.builder().observer().build())) {
            try (TestOrigin origin = origin();
                    TestProxy proxy = TestProxy.builder(folder)
                            .transform(
                                    "injector",
                                    request -> Decision.read(
                                            Buffered.whole(),
                                            RequestStep.inline(read -> Decision.proceed(Edits.builder()
                                                    .sensitive()
                                                    .replaceBody("s3cret".getBytes(StandardCharsets.UTF_8))
                                                    .build()))))
                            .transform("allowlist", warner, WARN)
                            .start()) {
                Wire.Message answer = post(proxy, origin, "b");

                assertThat(answer.status()).isEqualTo(403);
                assertThat(answer.body()).contains("credentials_withheld");
                assertThat(forwarded).isEmpty();
            }
        }
    }

    @Test
    void disclosersSeeNoSecrets() throws Exception {
        List<String> seen = new ArrayList<>();
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "injector",
                                request -> Decision.read(
                                        Buffered.whole(),
                                        RequestStep.inline(read -> Decision.proceed(Edits.builder()
                                                .sensitive()
                                                .setHeader("Authorization", "s3cret")
                                                .setQuery("s3cret")
                                                .replaceBody("s3cret".getBytes(StandardCharsets.UTF_8))
                                                .build()))))
                        .transform("judge", discloser(), (InlineTransform) request -> {
                            seen.add(request.head().headers().first("Authorization") + " "
                                    + request.head().target());
                            return Decision.read(Buffered.whole(), RequestStep.inline(read -> {
                                seen.add(read.body().text(StandardCharsets.UTF_8)
                                        + read.body().truncated());
                                return Decision.proceed();
                            }));
                        })
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(200);

            assertThat(seen).containsExactly("*** /p?q=1", "true");
            assertThat(forwarded.take()).contains("Authorization: s3cret").endsWith("|s3cret");
        }
    }

    // Observers.

    @Test
    void observersNeverReject() throws Exception {
        List<Transform> broken = List.of(
                (InlineTransform) request -> {
                    throw new IllegalStateException("top secret");
                },
                request -> CompletableFuture.failedFuture(new IllegalStateException("top secret")),
                request -> null,
                (InlineTransform) request ->
                        Decision.proceed(Edits.builder().setPath("/undeclared").build()),
                (InlineTransform)
                        request -> Decision.read(Buffered.whole(0), RequestStep.inline(read -> Decision.proceed())),
                (InlineTransform) request -> Decision.proceed(Edits.none(), ResponseStep.inline(response -> {
                    throw new IllegalStateException("top secret");
                })));
        for (Transform transform : broken) {
            try (TestOrigin origin = origin();
                    TestProxy proxy = TestProxy.builder(folder)
                            .transform("observer", observer(), transform)
                            .transform(
                                    "next",
                                    request -> Decision.read(
                                            Buffered.whole(), RequestStep.inline(read -> Decision.proceed())))
                            .start()) {
                assertThat(post(proxy, origin, "body").status()).isEqualTo(200);
                assertThat(forwarded.take()).startsWith("POST /p?q=1").endsWith("|body");
                assertThat(proxy.record().get("request_transforms").findValuesAsText("name"))
                        .containsExactly("observer", "next", "sentinel");
            }
        }
    }

    @Test
    void anObserverThatFailsAtOnceDoesNotHideTheNextStepFromACancel() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "observer",
                                observer(),
                                request -> CompletableFuture.failedFuture(new IllegalStateException()))
                        .transform("slow", TestProxy.everything(), (BlockingTransform) request -> {
                            try {
                                waiting.countDown();
                                new CountDownLatch(1).await();
                            } finally {
                                interrupted.countDown();
                            }
                            return Decision.proceed();
                        })
                        .start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            assertThat(waiting.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            client.reset();

            assertThat(interrupted.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(proxy.record().get("audit").get("action").asText()).isEqualTo("client_cancel");
        }
    }

    /** Every observer hears of the end once, and before the record is closed. */
    @Test
    void observersOfABodyHearOfItsEndOnceWhateverHappens() throws Exception {
        List<InlineTransform> endings = List.of(
                request -> Decision.proceed(),
                request -> Decision.reject(403, "no", "No."),
                request -> Decision.respond(StubResponse.json("{}")),
                request ->
                        Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.reject(403, "no", "No."))),
                request -> {
                    throw new IllegalStateException();
                },
                WARN);
        for (InlineTransform ending : endings) {
            try (TestOrigin origin = origin();
                    TestProxy proxy = TestProxy.builder(folder)
                            .transform(
                                    "capture",
                                    request -> Decision.proceed(Edits.builder()
                                            .observeBody(new BodyObserver() {
                                                private int ends;

                                                @Override
                                                public void data(ByteBuffer bytes) {}

                                                @Override
                                                public void end(boolean complete) {
                                                    request.trace().group("body_capture", Map.of("ends", ++ends));
                                                }
                                            })
                                            .build()))
                            .transform("ending", ending)
                            .start()) {
                post(proxy, origin, "body");

                assertThat(proxy.record().path("body_capture").path("ends").asInt())
                        .isEqualTo(1);
            }
        }
    }

    // Checks.

    @Test
    void aCheckedBodyKeepsItsLengthAndDigests() throws Exception {
        Checking check = new Checking("no such text");
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "checker",
                                Capabilities.builder().reads(Part.REQUEST_BODY).build(),
                                checking(check))
                        .start();
                Wire client = proxy.http()) {
            client.send(head(
                            "POST / HTTP/1.1",
                            "Host: " + origin.authority(),
                            "Content-Length: 4",
                            "Content-MD5: hBotaJrYpeIJyl5ll5UmsA==")
                    + "body");
            assertThat(client.message().status()).isEqualTo(200);
            assertThat(forwarded.take())
                    .contains("Content-Length: 4\r\nContent-MD5: hBotaJrYpeIJyl5ll5UmsA==")
                    .endsWith("|body");
            assertThat(check.seen).hasToString("body");
        }
    }

    @Test
    void aCheckMayRefuse() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "checker",
                                Capabilities.builder().reads(Part.REQUEST_BODY).build(),
                                (InlineTransform) request -> Decision.proceed(Edits.builder()
                                        .checkBody(new Checking(
                                                request.head().path().equals("/p") ? "bad" : "no such text"))
                                        .build()))
                        .start()) {
            Wire.Message refused = post(proxy, origin, "some bad body");

            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.body()).contains("\"code\":\"bad_body\"");
            assertThat(forwarded).isEmpty();
            JsonNode record = proxy.record();
            assertThat(record.get("audit").get("action").asText()).isEqualTo("reject");
        }
    }

    @Test
    void aCheckIsDeclaredAsARead() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("checker", Capabilities.none(), checking(new Checking("bad")))
                        .start()) {
            assertThat(post(proxy, origin, "body").status()).isEqualTo(500);
            assertThat(forwarded).isEmpty();
        }
    }

    @Test
    void anObserverCannotCheck() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("observer", observer(), checking(new Checking("body")))
                        .start()) {
            assertThat(post(proxy, origin, "body").status()).isEqualTo(200);
            assertThat(forwarded.take()).endsWith("|body");
            assertThat(proxy.record().get("request_transforms").toString()).contains("not possible for an observer");
        }
    }

    @Test
    void disclosersCheckABodyBeforeSecretsArePutIn() throws Exception {
        Checking check = new Checking("no such text");
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("injector", appending("s3cret"))
                        .transform("discloser", discloser(), checking(check))
                        .start()) {
            assertThat(post(proxy, origin, "body").status()).isEqualTo(200);
            assertThat(forwarded.take()).endsWith("|bodys3cret");
            assertThat(check.seen).hasToString("body");
        }
    }

    @Test
    void disclosersThatComeTooLateToCheckABodyWithoutSecretsLetNothingThrough() throws Exception {
        Checking check = new Checking("no such text");
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("injector", appending("s3cret"))
                        .transform(
                                "reader",
                                Capabilities.builder().reads(Part.REQUEST_BODY).build(),
                                (InlineTransform) request ->
                                        Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed())))
                        .transform("discloser", discloser(), checking(check))
                        .start()) {
            assertThat(post(proxy, origin, "body").status()).isEqualTo(500);
            assertThat(forwarded).isEmpty();
            assertThat(check.seen).isEmpty();
        }
    }

    @Test
    void aBodyThatWasOnlyCheckedCanGoOnWithoutCredentials() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "injector",
                                editing(Edits.builder()
                                        .checkBody(new Checking("no such text"))
                                        .sensitive()
                                        .setHeader("Authorization", "s3cret")
                                        .build()))
                        .transform(
                                "reader",
                                request ->
                                        Decision.read(Buffered.whole(), RequestStep.inline(read -> Decision.proceed())))
                        .transform("allowlist", Capabilities.none(), WARN)
                        .start()) {
            assertThat(post(proxy, origin, "body").status()).isEqualTo(200);
            assertThat(forwarded.take()).doesNotContain("s3cret").endsWith("|body");
        }
    }

    private static InlineTransform checking(Checking check) {
        return editing(Edits.builder().checkBody(check).build());
    }

    private static InlineTransform appending(String secret) {
        return request -> Decision.proceed(
                Edits.builder().sensitive().rewriteBody(new Appending(secret)).build());
    }

    // Steps that leave the loop.

    @Test
    void aLateResultIsDropped() throws Exception {
        BlockingQueue<CompletableFuture<Decision>> stages = new LinkedBlockingQueue<>();
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "late",
                                Capabilities.builder()
                                        .deadline(java.time.Duration.ofMillis(20))
                                        .build(),
                                request -> {
                                    CompletableFuture<Decision> inner = new CompletableFuture<>();
                                    stages.add(inner);
                                    return inner.minimalCompletionStage();
                                })
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
            stages.take().complete(Decision.proceed());
            assertThat(proxy.record().get("error").asText()).contains("transform_timeout");
            proxy.close();
            assertThat(forwarded).isEmpty();
        }
    }

    @Test
    void aBlockingStepIsInterruptedAtItsDeadline() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "slow",
                                Capabilities.builder()
                                        .deadline(java.time.Duration.ofMillis(20))
                                        .build(),
                                (BlockingTransform) request -> {
                                    try {
                                        new CountDownLatch(1).await();
                                    } finally {
                                        interrupted.countDown();
                                    }
                                    return Decision.proceed();
                                })
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
            assertThat(interrupted.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void blockingStepsBeyondTheLimitAreRefusedAndOneAfterTheOtherIsNot() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: []", "limits: {blocking_threads: 1}")
                        .transform("first", TestProxy.everything(), (BlockingTransform) request -> {
                            if (request.head().path().equals("/wait")) {
                                waiting.countDown();
                                release.await();
                            }
                            return Decision.proceed();
                        })
                        .transform("second", TestProxy.everything(), (BlockingTransform) request -> Decision.proceed())
                        .start();
                Wire client = proxy.http()) {
            for (int i = 0; i < 50; i++) {
                assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            }
            client.send(head("GET /wait HTTP/1.1", "Host: " + origin.authority()));
            waiting.await();
            Wire.Message refused = proxy.get(origin, "/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.body()).contains("\"code\":\"overloaded\"");
            release.countDown();
            assertThat(client.message().status()).isEqualTo(200);
        }
    }

    @Test
    void readingTheSameAgainIsAFaultAndNoEndlessLoop() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("greedy", new Greedy())
                        .start()) {
            assertThat(post(proxy, origin, "b").status()).isEqualTo(500);
        }
    }

    @Test
    void aReaderMayAskForMoreThanItHad() throws Exception {
        List<String> seen = new ArrayList<>();
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "curious",
                                request -> Decision.read(Buffered.prefix(2), RequestStep.inline(read -> {
                                    seen.add(read.body().text(StandardCharsets.UTF_8));
                                    return Decision.read(Buffered.whole(), RequestStep.inline(all -> {
                                        seen.add(all.body().text(StandardCharsets.UTF_8));
                                        return Decision.proceed();
                                    }));
                                })))
                        .start()) {
            assertThat(post(proxy, origin, "body").status()).isEqualTo(200);
            assertThat(seen).containsExactly("bo", "body");
        }
    }

    // Responses.

    @Test
    void responseStepsRunInReverseAndOnlyForTheTransformsBeforeAStub() throws Exception {
        List<String> order = new ArrayList<>();
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("one", noting("one", order))
                        .transform("two", noting("two", order))
                        .transform(
                                "stub",
                                request -> request.head().path().equals("/stub")
                                        ? Decision.respond(StubResponse.json("{}"))
                                        : Decision.proceed())
                        .transform("three", noting("three", order))
                        .start()) {
            proxy.get(origin, "/");
            assertThat(order).containsExactly("three", "two", "one");
            order.clear();
            Wire.Message stubbed = proxy.get(origin, "/stub");
            assertThat(order).containsExactly("two", "one");
            assertThat(stubbed.head()).contains("X-Noted: two", "X-Noted: one");
            assertThat(stubbed.body()).isEqualTo("{}");
        }
    }

    private static InlineTransform noting(String name, List<String> order) {
        return request -> Decision.proceed(Edits.none(), ResponseStep.inline(response -> {
            order.add(name);
            return ResponseDecision.proceed(
                    Edits.builder().addHeader("X-Noted", name).build());
        }));
    }

    @Test
    void aReplacedResponseIsSeenByEarlierTransformsAndTheOriginIsGivenUp() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        List<String> order = new ArrayList<>();
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(head("HTTP/1.1 200 OK", "Content-Length: 1000000") + "begin");
                    peer.readToEnd();
                    gone.countDown();
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("one", noting("one", order))
                        .transform(
                                "replacer",
                                request -> Decision.proceed(
                                        Edits.none(),
                                        ResponseStep.inline(
                                                response -> ResponseDecision.replace(StubResponse.status(203)
                                                        .header("X-Mine", "1")
                                                        .body("new")
                                                        .build()))))
                        .start()) {
            Wire.Message answer = proxy.get(origin, "/");

            assertThat(answer.status()).isEqualTo(203);
            assertThat(answer.head()).contains("X-Mine: 1", "X-Noted: one", "Content-Length: 3");
            assertThat(answer.body()).isEqualTo("new");
            assertThat(gone.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aMethodThatATransformChangedDoesNotBreakTheFramingForTheClient() throws Exception {
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    while (true) {
                        peer.send(
                                peer.readHead().startsWith("HEAD")
                                        ? head("HTTP/1.1 200 OK", "Content-Length: 4")
                                        : TestOrigin.ok("body"));
                    }
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "swap",
                                request -> Decision.proceed(Edits.builder()
                                        .setMethod(request.head().method().equals("GET") ? "HEAD" : "GET")
                                        .build()))
                        .start();
                Wire client = proxy.http()) {
            for (int i = 0; i < 2; i++) {
                client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
                assertThat(client.readHead()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 0");
                client.send(head("HEAD / HTTP/1.1", "Host: " + origin.authority()));
                assertThat(client.readHead()).isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 4");
            }
        }
    }

    @Test
    void rewritersOfARequestWithoutABodySendNone() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "rewriter",
                                request -> Decision.proceed(Edits.builder()
                                        .rewriteBody(new Appending(""))
                                        .build()))
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            assertThat(forwarded.take()).isEqualTo("GET / HTTP/1.1\r\nHost: " + origin.authority() + "|");
        }
    }

    private static final class Greedy implements InlineTransform {

        @Override
        public Decision decide(dev.sallyport.spi.RequestContext context) {
            return Decision.read(Buffered.whole(), RequestStep.inline(this::decide));
        }
    }

    /** Refuses a body with a text in it. */
    private static final class Checking implements BodyCheck {

        private final String text;
        private final StringBuilder seen = new StringBuilder();

        Checking(String text) {
            this.text = text;
        }

        @Override
        public void data(ByteBuffer bytes) {
            seen.append(StandardCharsets.UTF_8.decode(bytes));
        }

        @Override
        public void end() {
            if (seen.indexOf(text) >= 0) {
                throw new LateRejectException(Decision.reject(422, "bad_body", "There is a bad text in this body."));
            }
        }
    }

    private record Appending(String suffix) implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            out.write(in);
        }

        @Override
        public void end(Sink out) {
            out.write(ByteBuffer.wrap(suffix.getBytes(StandardCharsets.UTF_8)));
        }
    }
}

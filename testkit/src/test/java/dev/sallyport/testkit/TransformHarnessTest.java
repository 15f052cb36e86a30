package dev.sallyport.testkit;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The harness runs every form of transform as the engine does. */
class TransformHarnessTest {

    private static final String URL = "https://api.example.com/v1?q=1";
    private static final Capabilities ALL = Capabilities.builder()
            .reads(Part.values())
            .writes(Part.values())
            .effects(Effect.ANSWERS_LOCALLY)
            .build();

    @Test
    void inlineDecisionsAreApplied() {
        InlineTransform transform = context -> {
            context.trace().annotate("seen", context.head().target());
            return Decision.proceed(Edits.builder().addHeader("X-One", "1").build());
        };
        try (TransformHarness harness = harness(ALL, transform)) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .isForwarded()
                    .hasForwardedTarget("/v1?q=1")
                    .hasForwardedHeader("X-One", "1")
                    .hasAnnotation("mine", "seen", "/v1?q=1")
                    .hasStatus(200);
        }
    }

    @Test
    void blockingDecisionsRunOnVirtualThreads() {
        BlockingTransform transform = context -> {
            boolean isVirtual = Thread.currentThread().isVirtual();
            return Decision.proceed(
                    Edits.builder().addHeader("X-Virtual", "" + isVirtual).build());
        };
        try (TransformHarness harness = harness(ALL, transform)) {
            assertThat(harness.send(TestRequest.get(URL))).hasForwardedHeader("X-Virtual", "true");
        }
    }

    @Test
    void asynchronousDecisionsAreWaitedFor() {
        Transform transform =
                context -> CompletableFuture.supplyAsync(() -> Decision.reject(418, "teapot", "Short and stout."));
        try (TransformHarness harness = harness(ALL, transform)) {
            assertThat(harness.send(TestRequest.get(URL))).isRefused(418, "teapot");
        }
    }

    @Test
    void inlineTransformMayWaitAfterAll() {
        InlineTransform transform = context -> Decision.later(RequestStep.async(again -> {
            again.trace().annotate("waited", true);
            return CompletableFuture.supplyAsync(() -> Decision.proceed(
                    Edits.builder().addHeader("X-Path", again.head().path()).build()));
        }));
        try (TransformHarness harness = harness(ALL, transform)) {
            assertThat(harness.send(TestRequest.of("POST", URL).chunks("a ", "body")))
                    .hasForwardedHeader("X-Path", "/v1")
                    .hasForwardedBody("a body")
                    .hasAnnotation("mine", "waited", true);
        }
        InlineTransform failing = context ->
                Decision.later(RequestStep.async(again -> CompletableFuture.failedFuture(new IOException("gone"))));
        try (TransformHarness harness = harness(ALL, failing)) {
            assertThat(harness.send(TestRequest.get(URL))).isRefused(500, "transform_failed");
        }
    }

    @Test
    void bodiesAreReadAndReplaced() {
        InlineTransform transform = context -> Decision.read(
                Buffered.whole(),
                RequestStep.inline(again -> Decision.proceed(Edits.builder()
                        .replaceBody(again.body()
                                .text(StandardCharsets.UTF_8)
                                .toUpperCase(Locale.ROOT)
                                .getBytes(StandardCharsets.UTF_8))
                        .build())));
        try (TransformHarness harness = harness(ALL, transform)) {
            assertThat(harness.send(TestRequest.of("POST", URL).chunks("some ", "body")))
                    .isForwarded()
                    .hasForwardedBody("SOME BODY");
        }
    }

    @Test
    void bodiesAreCheckedAndGoOnAsTheyCame() {
        InlineTransform transform = context ->
                Decision.proceed(Edits.builder().checkBody(new NoNulBytes()).build(), responseChecked());
        Capabilities reads = Capabilities.builder()
                .reads(Part.REQUEST_BODY, Part.RESPONSE_BODY)
                .build();
        try (TransformHarness harness = TransformHarness.of("transforms: []")
                .then("mine", reads, transform)
                .upstream(request -> TestResponse.ok(request.body().contains("echo") ? "a\0b" : "fine"))
                .start()) {
            TestRequest request = TestRequest.of("POST", URL).header("Content-MD5", "c2lnbmVk");
            ExchangeResult right = harness.send(request.body("some body").inPieces(4));
            assertThat(right)
                    .isForwarded()
                    .hasForwardedBody("some body")
                    .hasForwardedHeader("Content-Length", "9")
                    .hasForwardedHeader("Content-MD5", "c2lnbmVk")
                    .hasStatus(200);
            assertThat(right.body()).isEqualTo("fine");

            ExchangeResult wrong = harness.send(request.body("some \0body").inPieces(4));
            assertThat(wrong).isRefused(400, "nul_in_body");
            assertThat(wrong.sent().body()).isEqualTo("some");
            assertThat(wrong.sent().complete()).isFalse();

            ExchangeResult broken = harness.send(request.body("echo"));
            assertThat(broken.complete()).as("a response that has begun").isFalse();
            assertThat(broken.body()).isEmpty();
        }
    }

    private static ResponseStep responseChecked() {
        return ResponseStep.inline(response -> ResponseDecision.proceed(
                Edits.builder().checkBody(new NoNulBytes()).build()));
    }

    /** The example of {@link BodyCheck}. */
    private static final class NoNulBytes implements BodyCheck {
        @Override
        public void data(ByteBuffer bytes) {
            while (bytes.hasRemaining()) {
                if (bytes.get() == 0) {
                    throw new LateRejectException(Decision.reject(400, "nul_in_body", "There is a NUL in this body."));
                }
            }
        }

        @Override
        public void end() {}
    }

    @Test
    void responseStepsSeeTheUpstreamsAnswer() {
        InlineTransform transform = context -> Decision.proceed(
                Edits.none(),
                ResponseStep.inline(response -> ResponseDecision.proceed(Edits.builder()
                        .setHeader("X-Status", "" + response.head().status())
                        .build())));
        try (TransformHarness harness = TransformHarness.of("transforms: []")
                .then("mine", ALL, transform)
                .upstream(request -> TestResponse.status(201).body("made"))
                .start()) {
            ExchangeResult result = harness.send(TestRequest.get(URL));

            assertThat(result).hasStatus(201);
            assertThat(result.headers().first("X-Status")).isEqualTo("201");
            assertThat(result.body()).isEqualTo("made");
        }
    }

    @Test
    void localAnswersDoNotReachTheUpstream() {
        InlineTransform transform = context -> Decision.respond(StubResponse.json("{}"));
        try (TransformHarness harness = harness(ALL, transform)) {
            ExchangeResult result = harness.send(TestRequest.get(URL));

            assertThat(result.forwarded()).isNull();
            assertThat(result.body()).isEqualTo("{}");
            assertThatThrownBy(result::sent).isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void stubIsRefusedWhereOnlyTheHostIsSeen() {
        InlineTransform transform = context -> Decision.respond(StubResponse.json("{}"));
        try (TransformHarness harness = harness(ALL, transform)) {
            ExchangeResult result = harness.send(TestRequest.hostOnly("api.example.com"));

            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(403);
            assertThat(record(result))
                    .containsEntry("action", "reject")
                    .containsEntry("mode", "sni-only")
                    .containsEntry("status_code", 403);
            assertThat(result.audit()).containsEntry("rejected_by", "mine").doesNotContainKey("stubbed_by");
            assertThat(result.auditLine()).contains("stub_not_possible");
        }
    }

    @Test
    void failureBelow500IsARejectionWhereOnlyTheHostIsSeen() {
        InlineTransform injector = context -> Decision.read(
                Buffered.whole(),
                RequestStep.inline(again -> Decision.proceed(Edits.builder()
                        .sensitive()
                        .replaceBody("s3cret".getBytes(StandardCharsets.UTF_8))
                        .build())));
        InlineTransform warner = context -> Decision.proceedWithoutCredentials();
        Capabilities injects = Capabilities.builder()
                .reads(Part.values())
                .writes(Part.values())
                .effects(Effect.INJECTS_CREDENTIAL)
                .build();
        try (TransformHarness harness = TransformHarness.of("transforms: []")
                .then("injector", injects, injector)
                .then("warner", Capabilities.none(), warner)
                .start()) {
            ExchangeResult result = harness.send(TestRequest.hostOnly("api.example.com"));

            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(403);
            assertThat(record(result)).containsEntry("action", "reject");
            assertThat(result.audit()).containsEntry("rejected_by", "warner");
            assertThat(result.auditLine()).contains("credentials_withheld: warner");
        }
    }

    @Test
    void hostThatIsLetThroughIsRecordedAsTheEngineDoes() {
        InlineTransform transform = context ->
                Decision.proceed(Edits.builder().addHeader("X-One", "1").build());
        try (TransformHarness harness = harness(ALL, transform)) {
            ExchangeResult result = harness.send(TestRequest.hostOnly("api.example.com"));

            assertThat(result).isForwarded().hasStatus(0);
            assertThat(record(result)).containsEntry("action", "allow").containsEntry("mode", "sni-only");
            assertThat(result.auditLine()).contains("edits_ignored");
        }
    }

    @Test
    void undeclaredEditsAreRefused() {
        InlineTransform transform = context ->
                Decision.proceed(Edits.builder().addHeader("X-One", "1").build());
        try (TransformHarness harness = harness(Capabilities.none(), transform)) {
            assertThat(harness.send(TestRequest.get(URL))).isRefused(500, "transform_failed");
        }
    }

    @Test
    void deadlinesAreKept() {
        CountDownLatch never = new CountDownLatch(1);
        BlockingTransform transform = context -> {
            never.await();
            return Decision.proceed();
        };
        try (TransformHarness harness = TransformHarness.of("transforms: []")
                .then("mine", ALL, transform)
                .transformTimeout(Duration.ofMillis(20))
                .start()) {
            assertThat(harness.send(TestRequest.get(URL))).isRefused(503, "transform_timeout");
        }
    }

    @Test
    void tunnelsAreJudgedAtConnectionLevel() {
        InlineTransform transform = new InlineTransform() {
            @Override
            public Decision decide(RequestContext context) {
                return Decision.proceed();
            }

            @Override
            public Admission onConnect(ConnectContext context) {
                return context.target().host().equals("no.test")
                        ? Admission.refuse("not_there", "Not there.")
                        : Admission.pass();
            }
        };
        try (TransformHarness harness = harness(ALL, transform)) {
            assertThat(harness.connect("yes.test:443").open()).isTrue();
            assertThat(harness.connect("no.test:443").code()).isEqualTo("not_there");
        }
    }

    @Test
    void problemsOfTheConfigurationAreReported() {
        assertThat(TransformHarness.of("transforms: [{name: nobody}]").problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.pointer()).isEqualTo("/transforms/0/name"));
        assertThatThrownBy(() ->
                        TransformHarness.of("transforms: [{name: nobody}]").start())
                .isInstanceOf(ConfigProblemsException.class)
                .hasMessageContaining("nobody");
    }

    @Test
    void transformsAreClosedWithTheHarness() throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        AtomicBoolean early = new AtomicBoolean(true);
        InlineTransform transform = new InlineTransform() {
            @Override
            public Decision decide(RequestContext context) {
                return Decision.proceed();
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
        try (TransformHarness harness = harness(ALL, transform)) {
            harness.send(TestRequest.get(URL));
            early.set(closed.getCount() == 0);
        }

        assertThat(early).isFalse();
        closed.await();
    }

    @SuppressWarnings("unchecked") // objects have string keys
    private static Map<String, Object> record(ExchangeResult result) {
        return (Map<String, Object>) Objects.requireNonNull(result.audit().get("audit"));
    }

    private static TransformHarness harness(Capabilities capabilities, Transform transform) {
        return TransformHarness.of("transforms: []")
                .then("mine", capabilities, transform)
                .start();
    }
}

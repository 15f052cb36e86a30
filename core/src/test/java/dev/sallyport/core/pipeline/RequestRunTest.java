package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.Visibility;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The stages are asked in their order, and exactly one verdict is given. */
class RequestRunTest {

    private static final Capabilities ANY = Capabilities.builder()
            .reads(Part.REQUEST_BODY)
            .writes(Part.REQUEST_HEADERS, Part.REQUEST_BODY)
            .build();
    private static final Capabilities INJECTING = Capabilities.builder()
            .writes(Part.REQUEST_HEADERS)
            .effects(Effect.INJECTS_CREDENTIAL)
            .build();

    private final RecordingExchange exchange = new RecordingExchange();
    private final List<Stage> stages = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();

    private RequestRunTest stage(Capabilities capabilities, Decision decision) {
        String name = "t" + stages.size();
        return stage(capabilities, (InlineTransform) request -> {
            asked.add(name);
            return decision;
        });
    }

    private RequestRunTest stage(Capabilities capabilities, Transform transform) {
        stages.add(PipelineFixture.stage(stages.size(), transform, capabilities));
        return this;
    }

    private RequestRun run() {
        RecordingExchange.Request host = exchange.new Request();
        RequestRun run = new RequestRun(
                MatchedStages.of(stages, host.facts().destination()),
                host,
                new RunServices(new BlockingStepExecutor(1), PipelineFixture.settings(), () -> 0),
                new RunningTransform());
        run.start();
        return run;
    }

    private static Decision header(String name, String value) {
        return Decision.proceed(Edits.builder().setHeader(name, value).build());
    }

    private static Decision credential() {
        return Decision.proceed(Edits.builder()
                .credential(Credential.of("KEY", "a-real-credential"))
                .sensitive()
                .setHeader("X-Key", "a-real-credential")
                .build());
    }

    @Test
    void withoutStagesTheRequestIsForwarded() {
        run();

        assertThat(exchange.told).containsExactly("forward");
    }

    @Test
    void everyStageIsAskedInOrderAndSeesTheEditsOfThoseBefore() {
        stage(ANY, header("X-One", "1"));
        stage(ANY, (InlineTransform) request -> {
            asked.add("sees " + request.head().headers().first("X-One"));
            return Decision.proceed();
        });
        run();

        assertThat(asked).containsExactly("t0", "sees 1");
        assertThat(exchange.told).containsExactly("forward");
    }

    @Test
    void aRefusalIsTheVerdictAndLaterStagesAreNotAsked() {
        stage(ANY, Decision.proceed());
        stage(ANY, Decision.reject(403, "no", "No."));
        stage(ANY, Decision.proceed());
        run();

        assertThat(asked).containsExactly("t0", "t1");
        assertThat(exchange.told).containsExactly("rejected by t1: no");
    }

    @Test
    void anAnswerNeedsItsDeclaredEffect() {
        StubResponse stub = StubResponse.status(200).build();
        stage(ANY, Decision.respond(stub));
        run();
        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");

        exchange.told.clear();
        stages.clear();
        stage(Capabilities.builder().effects(Effect.ANSWERS_LOCALLY).build(), Decision.respond(stub));
        run();
        assertThat(exchange.told).containsExactly("answered by t0: 200");
    }

    @Test
    void aStageThatThrowsOrWritesWhatItDidNotDeclareEndsTheRequest() {
        stage(ANY, (InlineTransform) request -> {
            throw new IllegalStateException("secret");
        });
        run();
        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");

        exchange.told.clear();
        stages.clear();
        stage(Capabilities.none(), header("X-One", "1"));
        run();
        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");
        assertThat(exchange.request.headers().first("X-One")).isNull();
    }

    @Test
    void aFailedObserverIsPassedOver() {
        stage(Capabilities.builder().observer().build(), (InlineTransform) request -> {
            throw new IllegalStateException("broken");
        });
        stage(ANY, Decision.proceed());
        run();

        assertThat(asked).containsExactly("t1");
        assertThat(exchange.told).containsExactly("forward");
    }

    @Test
    void aStageThatNeedsEverythingIsSkippedWhereOnlyTheHostIsSeen() {
        exchange.visibility = Visibility.HOST_ONLY;
        stage(Capabilities.builder().needsFullVisibility().build(), Decision.reject(403, "no", "No."));
        run();

        assertThat(asked).isEmpty();
        assertThat(exchange.told).containsExactly("forward");
        assertThat(exchange.record()).contains("\"skipped\":\"host_only\"");
    }

    /** A later stage that withholds credentials undoes those that earlier ones have put in. */
    @Test
    void withholdingCredentialsStartsOverWithoutThem() {
        stage(ANY, header("X-One", "1"));
        stage(INJECTING, credential());
        stage(ANY, Decision.proceedWithoutCredentials());
        RequestRun run = run();

        assertThat(asked).containsExactly("t0", "t1", "t2", "t2");
        assertThat(exchange.told).containsExactly("forward");
        assertThat(exchange.request.headers().first("X-One")).isEqualTo("1");
        assertThat(exchange.request.headers().first("X-Key")).isNull();
        assertThat(exchange.record()).contains("\"skipped\":\"not_allowlisted\"");
        assertThat(run.carriesForTls()).isNull();
    }

    @Test
    void aCredentialNeedsItsDeclaredEffect() {
        stage(ANY, credential());
        run();

        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");
        assertThat(exchange.request.headers().first("X-Key")).isNull();
    }

    @Test
    void aCredentialWithoutTlsIsKnownByItsStage() {
        exchange.secure = false;
        stage(INJECTING, credential());
        RequestRun run = run();

        assertThat(run.carriesForTls()).isSameAs(stages.getFirst());
        assertThat(run.carried()).isNotNull();
    }

    @Test
    void aStepThatMayMintWaitsForANearAddressWithoutTls() {
        exchange.secure = false;
        stage(INJECTING, Decision.later(RequestStep.inline(request -> {
            asked.add("minted");
            return credential();
        })));
        run();
        assertThat(exchange.told).containsExactly("near t0");
        assertThat(asked).containsExactly("t0");

        Runnable near = exchange.near;
        if (near == null) {
            throw new AssertionError("no check");
        }
        near.run();
        assertThat(asked).containsExactly("t0", "minted");
        assertThat(exchange.told).containsExactly("near t0", "forward");
    }

    @Test
    void aStepOffTheLoopIsWaitedFor() {
        CompletableFuture<Decision> verdict = new CompletableFuture<>();
        stage(ANY, Decision.later(RequestStep.async(request -> verdict)));
        stage(ANY, Decision.proceed());
        run();
        assertThat(exchange.told).isEmpty();

        verdict.complete(Decision.proceed());
        exchange.loop();
        assertThat(asked).containsExactly("t0", "t1");
        assertThat(exchange.told).containsExactly("forward");
    }

    @Test
    void afterCancellingNoVerdictFollows() {
        CompletableFuture<Decision> verdict = new CompletableFuture<>();
        stage(ANY, Decision.later(RequestStep.async(request -> verdict)));
        RequestRun run = run();

        run.cancel();
        run.cancel();
        verdict.complete(Decision.reject(403, "no", "No."));
        exchange.loop();

        assertThat(exchange.told).isEmpty();
        assertThat(verdict).isCancelled();
    }

    @Test
    void aReadThatWasNotDeclaredEndsTheRequest() {
        stage(Capabilities.none(), Decision.read(Buffered.whole(), RequestStep.inline(request -> Decision.proceed())));
        run();

        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");
    }

    @Test
    void aReadWaitsForTheBodyAndAsksForIt() {
        stage(ANY, Decision.read(Buffered.whole(), RequestStep.inline(request -> {
            asked.add("read " + request.body().length());
            return Decision.proceed();
        })));
        run();
        assertThat(exchange.told).containsExactly("demand");

        exchange.body.data(Unpooled.wrappedBuffer(new byte[5]));
        exchange.body.end(new HeaderBlock(1));
        exchange.loop();

        assertThat(asked).containsExactly("t0", "read 5");
        assertThat(exchange.told).containsExactly("demand", "forward");
    }

    @Test
    void stagesLeaveTheirResponseSteps() {
        ResponseStep step = ResponseStep.inline(response -> ResponseDecision.proceed());
        stage(ANY, Decision.proceed(Edits.none(), step));
        stage(ANY, Decision.proceed());
        RequestRun run = run();

        assertThat(run.responseSteps().size()).isOne();
    }
}

package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The steps are asked in the reverse order of the list, and exactly one verdict is given. */
class ResponseRunTest {

    private static final Capabilities ANY = Capabilities.builder()
            .reads(Part.RESPONSE_BODY)
            .writes(Part.RESPONSE_HEADERS, Part.RESPONSE_BODY)
            .effects(Effect.ANSWERS_LOCALLY)
            .build();

    private final RecordingExchange exchange = new RecordingExchange();
    private final ResponseSteps steps = new ResponseSteps();
    private final List<String> asked = new ArrayList<>();
    private int stages;

    private void step(Capabilities capabilities, ResponseStep step) {
        steps.add(PipelineFixture.stage(stages++, capabilities), step);
    }

    private void step(Capabilities capabilities, ResponseDecision decision) {
        String name = "t" + stages;
        step(capabilities, ResponseStep.inline(response -> {
            asked.add(name);
            return decision;
        }));
    }

    private ResponseRun run() {
        ResponseRun run = new ResponseRun(
                steps,
                exchange.new Response(),
                new BlockingStepExecutor(1),
                PipelineFixture.settings(),
                new RunningTransform());
        run.start();
        return run;
    }

    private static ResponseDecision header(String name, String value) {
        return ResponseDecision.proceed(Edits.builder().setHeader(name, value).build());
    }

    @Test
    void theLastStageIsAskedFirstAndTheOneBeforeSeesItsEdits() {
        step(ANY, ResponseStep.inline(response -> {
            asked.add("sees " + response.head().headers().first("X-One"));
            return ResponseDecision.proceed();
        }));
        step(ANY, header("X-One", "1"));
        run();

        assertThat(asked).containsExactly("t1", "sees 1");
        assertThat(exchange.told).containsExactly("pass");
    }

    @Test
    void aRefusalIsTheVerdictAndEarlierStagesAreNotAsked() {
        step(ANY, ResponseDecision.proceed());
        step(ANY, ResponseDecision.refuse("no", "No."));
        run();

        assertThat(asked).containsExactly("t1");
        assertThat(exchange.told).containsExactly("refused by t1: no");
    }

    @Test
    void aReplacementIsJudgedByTheStagesBefore() {
        step(ANY, ResponseDecision.proceed());
        step(ANY, ResponseDecision.replace(StubResponse.status(403).build()));
        run();

        assertThat(asked).containsExactly("t1", "t0");
        assertThat(exchange.told).containsExactly("replaced: 403", "pass");
    }

    @Test
    void aReplacementNeedsItsDeclaredEffect() {
        step(
                Capabilities.none(),
                ResponseDecision.replace(StubResponse.status(403).build()));
        run();

        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");
    }

    @Test
    void aStageThatFailsEndsTheResponseAndAnObserverDoesNot() {
        step(ANY, ResponseStep.inline(response -> {
            throw new IllegalStateException("broken");
        }));
        step(Capabilities.builder().observer().build(), ResponseStep.inline(response -> {
            throw new IllegalStateException("broken");
        }));
        run();

        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");
    }

    /** The client's request is not at fault, so that no status below 500 is right. */
    @Test
    void aHeadThatStepsMakeTooLargeIs502() {
        step(ANY, header("X-Long", "x".repeat(300 * 1024)));
        run();

        assertThat(exchange.told).containsExactly("failed in t0: 502 edited_head_too_large");
    }

    @Test
    void aReadWaitsForTheBody() {
        step(ANY, ResponseDecision.read(Buffered.whole(), ResponseStep.inline(response -> {
            asked.add("read " + response.body().length());
            return ResponseDecision.proceed(
                    Edits.builder().replaceBody(new byte[2]).build());
        })));
        run();
        assertThat(exchange.told).isEmpty();

        exchange.body.data(Unpooled.wrappedBuffer(new byte[5]));
        exchange.body.end(new HeaderBlock(1));
        exchange.loop();

        assertThat(asked).containsExactly("t0", "read 5");
        assertThat(exchange.told).containsExactly("pass");
        assertThat(exchange.lengthOfReleasedBody()).isEqualTo(2);
    }

    @Test
    void aBodyIsReplacedOnlyAfterItWasRead() {
        step(
                ANY,
                ResponseDecision.proceed(
                        Edits.builder().replaceBody(new byte[2]).build()));
        run();

        assertThat(exchange.told).containsExactly("failed in t0: 500 transform_failed");
    }

    @Test
    void aStepOffTheLoopIsWaitedForAndCancelled() {
        CompletableFuture<ResponseDecision> verdict = new CompletableFuture<>();
        step(ANY, ResponseStep.async(response -> verdict));
        ResponseRun run = run();
        assertThat(exchange.told).isEmpty();

        run.cancel();
        verdict.complete(ResponseDecision.proceed());
        exchange.loop();

        assertThat(exchange.told).isEmpty();
        assertThat(verdict).isCancelled();
    }
}

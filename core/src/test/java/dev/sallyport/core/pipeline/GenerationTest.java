package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Trace;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.toolkit.match.Destinations;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a generation lives, and how it asks its transforms about a tunnel. */
class GenerationTest {

    private final EmbeddedChannel one = new EmbeddedChannel();
    private final EmbeddedChannel two = new EmbeddedChannel();
    private final RunningTransform mark = new RunningTransform();
    private final AtomicInteger closings = new AtomicInteger();

    /** What was asked and refused, in order. */
    private final List<String> told = new ArrayList<>();

    private final class Judge implements InlineTransform {

        private final Function<ConnectContext, @Nullable Admission> judgement;

        Judge(Function<ConnectContext, @Nullable Admission> judgement) {
            this.judgement = judgement;
        }

        @Override
        public Decision decide(RequestContext request) {
            return Decision.proceed();
        }

        @Override
        @SuppressWarnings("NullAway") // a transform that breaks its contract
        public Admission onConnect(ConnectContext context) {
            told.add("in " + mark.transform());
            return judgement.apply(context);
        }
    }

    private final class Tunnel implements TunnelCallbacks {

        @Override
        public void asking(Stage stage, long nanos) {
            told.add("ask " + stage.name());
        }

        @Override
        public void refused(Generation.TunnelRefusal refusal) {
            told.add("refused by " + refusal.stage().name());
        }

        @Override
        public String exchangeId() {
            return "x";
        }

        @Override
        public Connection connection() {
            throw new UnsupportedOperationException("connection");
        }

        @Override
        public Destination target() {
            return Destinations.fromAuthority("a.test:443", 443, true);
        }

        @Override
        public Trace trace() {
            throw new UnsupportedOperationException("trace");
        }
    }

    private Generation generation(Stage... stages) {
        return generation(closings::incrementAndGet, stages);
    }

    private Generation generation(Runnable closing, Stage... stages) {
        IdentityHashMap<EventLoop, LoopState> states = new IdentityHashMap<>();
        states.put(one.eventLoop(), new LoopState(mark, new MatchedStagesCache()));
        states.put(two.eventLoop(), new LoopState());
        return new Generation(
                7,
                Arrays.asList(stages),
                states,
                new RunServices(new BlockingStepExecutor(1), PipelineFixture.settings(), () -> 0),
                closing);
    }

    private Stage judging(int position, Capabilities capabilities, Function<ConnectContext, @Nullable Admission> says) {
        return PipelineFixture.stage(position, new Judge(says), capabilities);
    }

    private Stage judging(int position, Function<ConnectContext, @Nullable Admission> says) {
        return judging(position, Capabilities.none(), says);
    }

    private Generation.@Nullable TunnelRefusal admit(Stage... stages) {
        return generation(stages).admit(one.eventLoop(), new Tunnel());
    }

    private void runLoops() {
        one.runPendingTasks();
        two.runPendingTasks();
    }

    // Its life.

    @Test
    void saysWhichOneItIsAndOfWhat() {
        Generation generation = generation(judging(0, c -> Admission.pass()), judging(1, c -> Admission.pass()));

        assertThat(generation.number()).isEqualTo(7);
        assertThat(generation.names()).containsExactly("t0", "t1");
    }

    @Test
    void withoutLeasesItClosesOnceEveryLoopKnowsThatItIsRetired() throws Exception {
        CompletableFuture<Void> closed = generation().retire().toCompletableFuture();
        assertThat(closed).isNotDone();
        one.runPendingTasks();
        assertThat(closed).isNotDone();
        two.runPendingTasks();

        closed.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(closings).hasValue(1);
    }

    @Test
    void itLivesUntilTheLastLeaseOfEachLoopIsBack() throws Exception {
        Generation generation = generation();
        generation.acquire(one.eventLoop());
        generation.acquire(one.eventLoop());
        generation.acquire(two.eventLoop());
        CompletableFuture<Void> closed = generation.retire().toCompletableFuture();
        runLoops();
        generation.release(one.eventLoop());
        generation.release(two.eventLoop());
        assertThat(closings).hasValue(0);
        assertThat(closed).isNotDone();

        generation.release(one.eventLoop());

        closed.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(closings).hasValue(1);
    }

    @Test
    void aLoopWhoseLeasesAreBackCountsOnceWhateverComesThen() throws Exception {
        Generation generation = generation();
        generation.acquire(two.eventLoop());
        CompletableFuture<Void> closed = generation.retire().toCompletableFuture();
        runLoops();
        generation.acquire(one.eventLoop());
        generation.release(one.eventLoop());
        generation.retire();
        runLoops();
        assertThat(closed).isNotDone();
        assertThat(closings).hasValue(0);

        generation.release(two.eventLoop());

        closed.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(closings).hasValue(1);
    }

    @Test
    void aPipelineHasNotEndedBeforeThoseThatWereReplaced() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Pipeline pipeline = new Pipeline();
        pipeline.swap(generation(() -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            closings.incrementAndGet();
        }));
        Generation last = generation();
        pipeline.swap(last);
        last.retire();
        runLoops();
        begun.await();

        CompletableFuture<Integer> closed = CompletableFuture.supplyAsync(() -> {
            pipeline.close();
            return closings.get();
        });
        await().until(() -> pipeline.current(Principal.anonymous()) == null);
        goOn.countDown();

        assertThat(closed.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void theOneInForceStaysOpenWithoutLeases() {
        Generation generation = generation();
        generation.acquire(one.eventLoop());
        generation.release(one.eventLoop());
        runLoops();

        assertThat(closings).hasValue(0);
    }

    @Test
    void aLoopOfSomebodyElseIsAFault() {
        EmbeddedChannel other = new EmbeddedChannel();

        assertThatThrownBy(() -> generation().acquire(other.eventLoop()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("not a loop of this proxy");
    }

    // Tunnels.

    @Test
    void whenAllPassTheTunnelOpens() {
        assertThat(admit()).isNull();
        assertThat(admit(judging(0, c -> Admission.pass()), judging(1, c -> Admission.pass())))
                .isNull();
        assertThat(told).containsExactly("ask t0", "in t0", "ask t1", "in t1");
        assertThat(mark.transform()).isNull();
    }

    @Test
    void whoAdmitsEndsTheRound() {
        assertThat(admit(judging(0, c -> Admission.admit()), judging(1, c -> Admission.refuse("no", "x"))))
                .isNull();
        assertThat(told).containsExactly("ask t0", "in t0");
    }

    @Test
    void whoRefusesEndsTheRoundWithItsOwnWords() {
        Generation.TunnelRefusal refusal = admit(
                judging(0, c -> Admission.pass()),
                judging(1, c -> Admission.refuse("not_here", "Not here.")),
                judging(2, c -> Admission.admit()));

        assertThat(refusal).isNotNull();
        assertThat(refusal.stage().position()).isOne();
        assertThat(refusal.status()).isEqualTo(403);
        assertThat(refusal.code()).isEqualTo("not_here");
        assertThat(refusal.detail()).isEqualTo("Not here.");
        assertThat(refusal.position()).isEmpty();
        assertThat(told).containsExactly("ask t0", "in t0", "ask t1", "in t1", "refused by t1");
    }

    @Test
    void whoFailsRefusesAndIsNotQuoted() {
        Generation.TunnelRefusal refusal = admit(
                judging(0, c -> {
                    throw new IllegalStateException("the secret");
                }),
                judging(1, c -> Admission.admit()));

        assertThat(refusal).isNotNull();
        assertThat(refusal.status()).isEqualTo(500);
        assertThat(refusal.code()).isEqualTo("transform_failed");
        assertThat(refusal.detail()).doesNotContain("secret");
        assertThat(told).containsExactly("ask t0", "in t0", "refused by t0");
        assertThat(mark.transform()).isNull();
    }

    @Test
    void whoSaysNothingRefuses() {
        Generation.TunnelRefusal refusal = admit(judging(0, c -> null), judging(1, c -> Admission.admit()));

        assertThat(refusal).isNotNull();
        assertThat(refusal.code()).isEqualTo("transform_failed");
    }

    @Test
    void anObserverThatFailsIsPassedOver() {
        Capabilities observer = Capabilities.builder().observer().build();

        assertThat(admit(
                        judging(0, observer, c -> {
                            throw new IllegalStateException("x");
                        }),
                        judging(1, c -> Admission.pass())))
                .isNull();
        assertThat(told).containsExactly("ask t0", "in t0", "ask t1", "in t1");
    }

    @Test
    void whoAdmitsTooLateRefuses() {
        Stage late = new Stage(
                0,
                "t0",
                "",
                new Judge(c -> Admission.admit()),
                Capabilities.none(),
                Stage.Resources.NONE,
                Duration.ZERO.toNanos() - 1);
        Generation.TunnelRefusal refusal = admit(late);

        assertThat(refusal).isNotNull();
        assertThat(refusal.status()).isEqualTo(503);
        assertThat(refusal.code()).isEqualTo("transform_timeout");
    }
}

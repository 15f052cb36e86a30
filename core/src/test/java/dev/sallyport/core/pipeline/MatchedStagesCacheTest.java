package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plans of all generations in the memory of one loop. */
@Timeout(60)
class MatchedStagesCacheTest {

    private static final PipelineSettings SETTINGS =
            new PipelineSettings(Duration.ofSeconds(1), Duration.ofSeconds(1), new BodyCaps(1, 1));

    private final MatchedStagesCache cache = new MatchedStagesCache();

    private static Generation generation(int number) {
        return new Generation(
                number, List.of(), Map.of(), new RunServices(new BlockingStepExecutor(1), SETTINGS, () -> 0), () -> {});
    }

    private static Destination host(int number) {
        return Destination.named("h" + number + ".example", 443, true);
    }

    private static MatchedStages plan() {
        return MatchedStages.of(List.of(), host(0));
    }

    @Test
    void aPlanIsFoundByItsGenerationAndDestinationOnly() {
        // given
        Generation before = generation(1);
        Generation after = generation(2);
        MatchedStages first = plan();
        MatchedStages second = plan();

        // when
        cache.keep(before, host(1), first);

        // then
        assertThat(cache.find(before, host(1))).isSameAs(first);
        assertThat(cache.find(before, host(2))).isNull();
        assertThat(cache.find(before, Destination.named("h1.example", 443, false)))
                .isNull();
        assertThat(cache.find(after, host(1))).isNull();

        // when
        cache.keep(after, host(1), second);

        // then
        assertThat(cache.find(after, host(1))).isSameAs(second);
        assertThat(cache.find(before, host(1))).isSameAs(first);
    }

    @Test
    void anotherGenerationWithTheSameNumberIsServedNothing() {
        // given
        cache.keep(generation(1), host(1), plan());

        // then
        assertThat(cache.find(generation(1), host(1))).isNull();
    }

    @Test
    void manyGenerationsWithManyDestinationsTakeTheMemoryOfOne() {
        for (int number = 1; number <= 50; number++) {
            Generation generation = generation(number);
            for (int i = 0; i < 1024; i++) {
                MatchedStages made = plan();
                cache.keep(generation, host(i), made);
                assertThat(cache.find(generation, host(i))).isSameAs(made);
            }
        }
        assertThat(cache.size()).isBetween(MatchedStagesCache.CAPACITY / 2, MatchedStagesCache.CAPACITY);
    }

    @Test
    void whatIsUsedAllTheTimeOutlivesAFloodOfOtherNames() {
        // given
        Generation generation = generation(1);
        MatchedStages used = plan();
        cache.keep(generation, host(0), used);

        for (int i = 1; i <= 100_000; i++) {
            // when
            cache.keep(generation, host(i), plan());

            // then
            assertThat(cache.find(generation, host(0))).isSameAs(used);
        }
    }

    @Test
    void namesWithOneHashTakeTheirOwnSetOnly() {
        // given: "Aa" and "BB" have one hash, and so have all words made of them
        Generation generation = generation(1);
        List<Destination> colliding = new ArrayList<>();
        for (int bits = 0; bits < 4096; bits++) {
            StringBuilder name = new StringBuilder();
            for (int i = 0; i < 12; i++) {
                name.append(((bits >> i) & 1) == 0 ? "Aa" : "BB");
            }
            colliding.add(Destination.named(name.toString(), 443, true));
        }

        // when
        colliding.forEach(destination -> cache.keep(generation, destination, plan()));

        // then
        assertThat(cache.size()).isEqualTo(MatchedStagesCache.WAYS);
    }

    @Test
    void nothingIsLeftOfAGenerationThatEnded() {
        // given
        Generation ended = generation(1);
        Generation current = generation(2);
        for (int i = 0; i < 100; i++) {
            cache.keep(ended, host(i), plan());
            cache.keep(current, host(i), plan());
        }

        // when
        cache.drop(ended);

        // then
        assertThat(cache.size()).isEqualTo(100);
        assertThat(cache.find(ended, host(1))).isNull();
        assertThat(cache.find(current, host(1))).isNotNull();
    }

    @Test
    void aGenerationLeavesWithItsLastLease() throws Exception {
        try (EventLoops loops = EventLoops.single("plans")) {
            // given: two generations on one loop, of which one is in use
            EventLoop loop = loops.group().next();
            LoopState state = new LoopState();
            Generation current = onLoop(loop, state, 1);
            Generation ended = onLoop(loop, state, 2);
            loop.submit(() -> {
                        ended.acquire(loop);
                        assertThat(ended.plan(loop, host(1))).isSameAs(ended.plan(loop, host(1)));
                        assertThat(ended.plan(loop, host(2))).isNotNull();
                        assertThat(current.plan(loop, host(1))).isNotNull();
                    })
                    .get();

            // when
            CompletionStage<Void> closed = ended.retire();

            // then
            loop.submit(() -> assertThat(state.plans().size()).isEqualTo(3)).get();

            // when
            loop.submit(() -> ended.release(loop)).get();

            // then
            closed.toCompletableFuture().get();
            loop.submit(() -> assertThat(state.plans().size()).isEqualTo(1)).get();
        }
    }

    private static Generation onLoop(EventLoop loop, LoopState state, int number) {
        return new Generation(
                number,
                List.of(),
                Map.of(loop, state),
                new RunServices(new BlockingStepExecutor(1), SETTINGS, () -> 0),
                () -> {});
    }
}

package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FeedRestsTest {

    private final FeedRests rests = new FeedRests();

    private long now = -5; // by a clock that may have any origin

    /** What is free after a quiet time is used up. */
    @BeforeEach
    void work() {
        apply(Set.of("busy", FeedRests.UNCLAIMED), 2_000, false);
    }

    private void apply(Set<String> replaced, int millis, boolean more) {
        long from = now;
        now += Duration.ofMillis(millis).toNanos();
        rests.after(replaced, from, now, more);
    }

    private static PipelineUpdate update(String workload) {
        PipelineSpec nothing = PipelineSpec.of("{\"transforms\":[]}");
        return PipelineUpdate.builder()
                .upsert(WorkloadSpec.builder(workload)
                        .user(workload)
                        .pipeline(nothing)
                        .build())
                .build();
    }

    @Test
    void whatWasReplacedWaitsAndWhatWasNotDoesNot() {
        assertThat(rests.before(update("busy"), now)).isPositive().isEqualTo(rests.left(now));
        assertThat(rests.before(update("other"), now)).isZero();
        assertThat(rests.before(PipelineUpdate.builder().remove("busy").build(), now))
                .isZero();
        assertThat(rests.before(PipelineUpdate.builder().refuseUnclaimed().build(), now))
                .isPositive();

        now += FeedPace.LONGEST;
        assertThat(rests.before(update("busy"), now)).isZero();
    }

    @Test
    void whatGoesFirstEndsNoRestOfOthersAndRestsWithThem() {
        long before = rests.left(now);

        apply(Set.of(), 1, false);
        apply(Set.of("other"), 1, false);

        assertThat(rests.before(update("busy"), now)).isBetween(before / 2, before);
        assertThat(rests.before(update("other"), now)).isEqualTo(rests.left(now));
    }

    @Test
    void nobodyRestsWhileOthersWait() {
        apply(Set.of("busy"), 100, true);

        assertThat(rests.before(update("busy"), now)).isZero();
        assertThat(rests.left(now)).isZero();
    }

    @Test
    void thoseWhoHaveRestedDoNotRestWithOthers() {
        now += FeedPace.LONGEST;
        apply(Set.of("other"), 1_000, false);

        assertThat(rests.before(update("busy"), now)).isZero();
        assertThat(rests.before(update("other"), now)).isPositive();
    }
}

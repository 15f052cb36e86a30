package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FeedPaceTest {

    private final FeedPace pace = new FeedPace();

    private long now = -5; // by a clock that may have any origin

    @Test
    void whatComesAloneIsNotFollowedByARest() {
        for (int i = 0; i < 20; i++) {
            assertThat(work(900)).isZero();
            now += millis(8_000);
        }
    }

    @Test
    void whatComesWithoutAnEndTakesAnEighthOfTheTime() {
        long before = now;
        for (int i = 0; i < 1_000; i++) {
            now += work(50);
        }
        long beyondTheFirst = 1_000 * millis(50) - FeedPace.MOST;
        assertThat((double) beyondTheFirst / (now - before)).isBetween(0.12, 0.13);
    }

    @Test
    void noRestIsLongerThanHalfASecond() {
        for (int i = 0; i < 2; i++) {
            assertThat(work(60_000)).isCloseTo(millis(500), within(10L));
            now += millis(500);
        }
        // what was beyond that is forgiven
        assertThat(work(20)).isCloseTo(millis(140), within(10L));
    }

    @Test
    void smallUpdatesInARowWaitOnlyOnceTheyHaveTakenASecond() {
        long spent = 0;
        while (work(5) == 0) {
            spent += millis(5);
        }
        assertThat(spent).isBetween(FeedPace.MOST - millis(5), FeedPace.MOST);
    }

    /** Works for so long, and returns how long to rest. */
    private long work(int millis) {
        long from = now;
        now += millis(millis);
        return pace.rest(from, now);
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}

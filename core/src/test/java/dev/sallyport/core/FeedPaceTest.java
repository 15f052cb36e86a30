package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FeedPaceTest {

    private final FeedPace pace = new FeedPace();

    private long now = -5; // by a clock that may have any origin

    @Test
    void whatComesAloneIsNotFollowedByARest() {
        for (int i = 0; i < 20; i++) {
            assertThat(work(900)).isZero();
            now += millis(4_000);
        }
    }

    @Test
    void whatComesWithoutAnEndTakesAQuarterOfTheTime() {
        long before = now;
        for (int i = 0; i < 1_000; i++) {
            now += work(100);
        }
        long beyondTheFirst = 1_000 * millis(100) - FeedPace.MOST;
        assertThat((double) beyondTheFirst / (now - before)).isBetween(0.24, 0.26);
    }

    @Test
    void noRestIsLongerThanThreeQuartersOfASecond() {
        assertThat(work(60_000)).isEqualTo(millis(750));
        now += millis(750);
        assertThat(work(60_000)).isEqualTo(millis(750));
        now += millis(750);
        // what was beyond that is forgiven
        assertThat(work(20)).isEqualTo(millis(60));
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

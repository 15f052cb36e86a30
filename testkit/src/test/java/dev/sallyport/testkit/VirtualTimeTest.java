package dev.sallyport.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> ran = new ArrayList<>();

    @Test
    void clockStandsStillUntilTimeIsAdvanced() {
        Instant start = time.clock().instant();

        time.advance(Duration.ofMinutes(90));

        assertThat(time.clock().instant()).isEqualTo(start.plusSeconds(5400));
    }

    @Test
    void dueTasksRunInTheOrderOfTheirTimes() {
        time.scheduler().schedule(() -> ran.add("late"), 20, TimeUnit.SECONDS);
        time.scheduler().schedule(() -> ran.add("early"), 10, TimeUnit.SECONDS);
        time.scheduler().schedule(() -> ran.add("not yet"), 31, TimeUnit.SECONDS);

        time.advance(Duration.ofSeconds(30));

        assertThat(ran).containsExactly("early", "late");
    }

    @Test
    void tasksSeeTheTimeForWhichTheyWerePlanned() {
        Instant start = time.clock().instant();
        List<Instant> seen = new ArrayList<>();
        time.scheduler().scheduleAtFixedRate(() -> seen.add(time.clock().instant()), 1, 2, TimeUnit.SECONDS);

        time.advance(Duration.ofSeconds(6));

        assertThat(seen).containsExactly(start.plusSeconds(1), start.plusSeconds(3), start.plusSeconds(5));
    }

    @Test
    void cancelledTasksDoNotRun() {
        ScheduledFuture<?> task = time.scheduler().schedule(() -> ran.add("cancelled"), 1, TimeUnit.SECONDS);

        task.cancel(false);
        time.advance(Duration.ofSeconds(2));

        assertThat(ran).isEmpty();
    }
}

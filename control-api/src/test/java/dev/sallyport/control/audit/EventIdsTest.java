package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventIdsTest {

    private static final EgressBatch BATCH = new EgressBatch("prx_1", "epoch", List.of());

    private static int moved(byte[] id) {
        return (id[6] & 0xFF) << 8 | (id[7] & 0xFF);
    }

    @Test
    void theyAreInTheOrderOfTheTimeAndWithinAMillisecondInThatOfTheProxy() {
        byte[] before = EventIds.of(999, BATCH, 10);
        for (int i = 0; i < 100; i++) {
            byte[] id = EventIds.of(1000, BATCH, i);

            assertThat(EventIds.compare(before, id)).isNegative();
            assertThat(EventIds.millis(id)).isEqualTo(1000);
            assertThat(id).isEqualTo(EventIds.of(1000, BATCH, i));
            before = id;
        }
        assertThat(EventIds.compare(before, EventIds.of(1001, BATCH, 0))).isNegative();
    }

    /** An account sees the events of its own at a proxy that it shares, at times of its choice. */
    @Test
    void theyTellNothingOfHowManyOthersThereAre() {
        Set<Integer> steps = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            int step = moved(EventIds.of(i + 1, BATCH, i + 1)) - moved(EventIds.of(i, BATCH, i));
            steps.add(step & 0xFFFF);
        }

        assertThat(steps).hasSizeGreaterThan(900);
    }
}

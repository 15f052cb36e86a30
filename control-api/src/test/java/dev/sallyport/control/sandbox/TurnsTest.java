package dev.sallyport.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whose snapshot is next. */
class TurnsTest {

    private final Turns turns = new Turns();

    /** Snapshots whose names begin with their organizations' ones. */
    private static List<SnapshotRow> rows(String... names) {
        return Stream.of(names)
                .map(name -> SnapshotRow.asked(
                        new SnapshotRow.Identity(name, name.substring(0, 1), "vm", "image", null, null, 0)))
                .toList();
    }

    private List<String> next(List<SnapshotRow> waiting, int each) {
        return turns.next(waiting, each).stream().map(SnapshotRow::id).toList();
    }

    @Test
    void organizationsTakeTurnsAndOfEachTheOldestComesFirst() {
        List<SnapshotRow> waiting = new ArrayList<>(rows("a1", "a2", "a3", "b1", "b2", "c1"));
        List<String> done = new ArrayList<>();
        while (!waiting.isEmpty()) {
            String next = next(waiting, 1).getFirst();
            waiting.removeIf(row -> row.id().equals(next));
            turns.had(next.substring(0, 1));
            done.add(next);
        }

        assertThat(done).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
    }

    @Test
    void oneThatComesLaterWaitsForOneTurnOfEachOtherAndNotForTheirQueues() {
        assertThat(next(rows("a1", "a2", "a3", "b1", "b2"), 1)).containsExactly("a1", "b1");
        turns.had("a");
        turns.had("b");

        assertThat(next(rows("a2", "a3", "b2", "c1"), 1)).containsExactly("a2", "b2", "c1");
        turns.had("a");
        turns.had("b");
        assertThat(next(rows("a3", "b3", "c1"), 1)).containsExactly("c1", "a3", "b3");
    }

    @Test
    void whoeverFindsNoPlaceKeepsItsTurn() {
        next(rows("a1", "b1", "c1"), 1);
        turns.had("b");

        assertThat(next(rows("c1", "b2", "a1"), 1)).containsExactly("a1", "c1", "b2");
    }

    @Test
    void whereThereIsRoomForSeveralOfEachTheSecondOnesComeAfterAllFirstOnes() {
        assertThat(next(rows("a1", "a2", "a3", "b1", "c1", "c2"), 2)).containsExactly("a1", "b1", "c1", "a2", "c2");
    }

    @Test
    void whoeverLeavesHasNoTurnAnyMore() {
        next(rows("a1", "b1"), 1);
        next(rows("b1"), 1);
        turns.had("a");

        assertThat(next(rows("a1", "b1"), 1)).containsExactly("b1", "a1");
    }
}

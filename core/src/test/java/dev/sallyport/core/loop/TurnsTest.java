package dev.sallyport.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose turn it is on a loop, and for how long, by a clock that the work moves. */
class TurnsTest {

    private static final long MUCH = Turns.TURN_NANOS;

    private final ArrayDeque<Runnable> passes = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private long now;
    private final Turns turns = new Turns(passes::add, () -> now);

    /** Somebody with much to do: a millisecond for each piece. */
    private final class Worker {

        private final String name;
        private final Turn turn;
        private int left;

        Worker(String name, int pieces) {
            this.name = name;
            this.left = pieces;
            this.turn = turns.join(this::work);
        }

        void work() {
            if (!turn.begin()) {
                turn.later();
                return;
            }
            do {
                left--;
                now += MUCH;
                done.add(name);
            } while (left > 0 && !turn.over());
            turn.end();
            if (left > 0) {
                turn.later();
            }
        }
    }

    @Test
    void aTurnEndsAndTheRestIsForALaterPass() {
        new Worker("a", 3).work();

        assertThat(done).containsExactly("a");
        assertThat(passes).hasSize(1);
        passes.remove().run();
        assertThat(done).startsWith("a", "a");
    }

    @Test
    void aTurnEndsWithItsBytesToo() {
        Turn turn = turns.join(() -> {});
        assertThat(turn.begin()).isTrue();
        turn.made(Turns.MAX_BYTES - 1);
        assertThat(turn.over()).isFalse();
        turn.made(1);
        assertThat(turn.over()).isTrue();
        turn.end();
    }

    @Test
    void aPassEndsHoweverManyHaveMuchToDo() {
        for (int i = 0; i < 100; i++) {
            new Worker("many", 10).work();
        }

        assertThat(done).as("all of them have used little").hasSize(4);
        passes.remove().run();
        assertThat(done).hasSizeLessThanOrEqualTo(4 + 3);
        assertThat(passes).hasSize(1);
    }

    @Test
    void whoUsedLittleGoesBeforeThoseWhoUsedMuch() {
        for (int i = 0; i < 100; i++) {
            new Worker("many", 100).work();
        }
        for (int i = 0; i < 200; i++) {
            passes.remove().run();
        }
        done.clear();

        new Worker("one", 1).work();
        passes.remove().run();

        assertThat(done.getFirst()).isEqualTo("one");
    }

    /** A crowd of which each has little to do: 800 origins, say, that answer one client. */
    @Test
    void whatManyDoForOneClientCountsTogether() {
        for (int i = 0; i < 800; i++) {
            Worker worker = new Worker("crowd", 1);
            worker.turn.onBehalfOf("client");
            worker.work();
        }
        Worker other = new Worker("other", 1);
        other.turn.onBehalfOf("bystander");
        other.work();

        assertThat(done).containsExactly("crowd", "crowd", "other");
    }

    private Worker work(String name, int pieces) {
        Worker worker = new Worker(name, pieces);
        worker.turn.onBehalfOf(name);
        worker.work();
        while (!passes.isEmpty()) {
            passes.remove().run();
        }
        return worker;
    }

    @Test
    void whoUsesLittleAgainAndAgainStaysBeforeTheOthers() {
        for (int i = 0; i < 500; i++) {
            Worker small = work("small", 1);
            now += 20 * MUCH;
            assertThat(small.turn.isLight()).isTrue();
        }
    }

    @Test
    void whoUsesMoreThanAShareIsBehindAndComesBackHalfASecondLater() {
        Worker greedy = work("greedy", 100);
        assertThat(greedy.turn.isLight()).isFalse();

        now += 520 * MUCH;

        assertThat(greedy.turn.isLight()).isTrue();
    }

    @Test
    void everybodyComesToAnEnd() {
        for (int i = 0; i < 10; i++) {
            new Worker("w" + i, 20).work();
        }
        while (!passes.isEmpty()) {
            passes.remove().run();
        }

        assertThat(done).hasSize(200);
    }

    @Test
    void whatIsCancelledIsNotDone() {
        Worker worker = new Worker("a", 2);
        worker.work();
        worker.turn.cancel();
        passes.remove().run();

        assertThat(done).containsExactly("a");
        assertThat(passes).isEmpty();
    }

    @Test
    void theLengthOfEachTurnIsReported() {
        List<Long> reported = new ArrayList<>();
        turns.report(reported::add);
        new Worker("a", 1).work();

        assertThat(reported).containsExactly(MUCH);
    }

    @Test
    void whatIsDoneInsideOfATurnIsPartOfIt() {
        List<Long> reported = new ArrayList<>();
        turns.report(reported::add);
        Turn outer = turns.join(() -> {});
        outer.begin();
        new Worker("inner", 1).work();
        outer.end();

        assertThat(reported).containsExactly(MUCH);
    }
}

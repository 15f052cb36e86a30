package dev.sallyport.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeadMeter.Room;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class HeadBudgetTest {

    private static final int LIMIT = 1 << 20;
    private static final int CONNECTION = 128 << 10;
    private static final int HEAD = 1 << 10;

    private final HeadBudget budget = new HeadBudget(LIMIT, CONNECTION);
    private final Executor loop = Runnable::run;
    private final Executor other = task -> task.run();

    @Test
    void aConnectionHasALimitOfItsOwn() {
        HeadAccount account = budget.open(loop, "one");

        assertThat(account.take(CONNECTION)).isEqualTo(Room.ENOUGH);
        assertThat(account.take(1)).isEqualTo(Room.NOT_HERE);
        account.give(1);
        assertThat(account.take(1)).isEqualTo(Room.ENOUGH);
    }

    @Test
    void oneOwnerLeavesRoomForOthers() {
        long greedy = takeAll(loop, "greedy");

        assertThat(greedy).isBetween(LIMIT * 7L / 10, LIMIT * 8L / 10 + HEAD);
        assertThat(takeAll(loop, "modest")).isPositive();
    }

    @Test
    void allTogetherTakeNoMoreThanThereIs() {
        long taken = 0;
        for (int i = 0; i < 100; i++) {
            taken += takeAll(i % 2 == 0 ? loop : other, "owner " + i);
        }

        assertThat(taken).isBetween(LIMIT * 3L / 4, (long) LIMIT);
        assertThat(budget.taken()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void whatAConnectionHoldsGoesBackWhenItCloses() {
        for (int i = 0; i < 1000; i++) {
            HeadAccount account = budget.open(loop, "one");
            assertThat(account.take(CONNECTION)).isEqualTo(Room.ENOUGH);
            account.close();
            account.give(CONNECTION); // late, and without effect
            assertThat(account.take(1)).isEqualTo(Room.NOT_HERE);
        }

        assertThat(budget.taken()).isLessThan(LIMIT / 4);
    }

    private long takeAll(Executor on, String owner) {
        long taken = 0;
        Room room = Room.NOT_HERE;
        while (room == Room.NOT_HERE) {
            HeadAccount account = budget.open(on, owner);
            for (room = account.take(HEAD); room == Room.ENOUGH; room = account.take(HEAD)) {
                taken += HEAD;
            }
        }
        return taken;
    }
}

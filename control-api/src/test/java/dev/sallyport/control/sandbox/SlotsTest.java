package dev.sallyport.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose turn it is to be made. */
class SlotsTest {

    private final Slots slots = new Slots(1);
    private final List<String> called = new ArrayList<>();

    @Test
    void organizationsTakeTurnsAndOfEachTheOldestComesFirst() {
        slots.onFree(called::add);
        assertThat(slots.take("one", "a")).isTrue();
        for (String vm : List.of("b", "c", "d")) {
            assertThat(slots.take("one", vm)).isFalse();
        }
        assertThat(slots.take("two", "x")).isFalse();
        assertThat(slots.take("one", "b")).as("who asks again keeps its place").isFalse();

        for (int i = 0; i < 4; i++) {
            slots.release();
            String next = called.getLast();
            assertThat(slots.isCalled(next)).isTrue();
            assertThat(slots.take(next.equals("x") ? "two" : "one", next)).isTrue();
        }

        assertThat(called).containsExactly("b", "x", "c", "d");
    }

    @Test
    void nobodyElseTakesThePlaceOfOneThatWasCalled() {
        slots.take("one", "a");
        slots.take("one", "b");
        slots.release();

        assertThat(slots.take("two", "x")).isFalse();
        assertThat(slots.take("one", "b")).isTrue();
    }

    @Test
    void whoLeavesGivesItsPlaceToTheNext() {
        slots.onFree(called::add);
        slots.take("one", "a");
        slots.take("one", "b");
        slots.take("one", "c");
        slots.take("two", "x");
        slots.leave("one", "c");
        slots.release();
        assertThat(called).containsExactly("b");

        slots.leave("one", "b");

        assertThat(called).containsExactly("b", "x");
        slots.leave("two", "x");
        assertThat(slots.take("one", "d")).as("it is free").isTrue();
        slots.leave("one", "nobody");
        assertThat(slots.take("one", "e")).isFalse();
    }
}

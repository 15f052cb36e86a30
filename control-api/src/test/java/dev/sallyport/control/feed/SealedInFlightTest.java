package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much of secrets is on its way at once. */
class SealedInFlightTest {

    private static final long KIB = 1 << 10;
    private static final long PART = SealedInFlight.MOST_OF_ONE / 2;

    private final SealedInFlight sealed = new SealedInFlight();

    private long most(String organization) {
        long taken = 0;
        for (long step = SealedInFlight.MOST_OF_ONE; step >= KIB; step /= 2) {
            while (sealed.take(organization, step)) {
                taken += step;
            }
        }
        return taken;
    }

    @Test
    void anOrganizationTakesNoMoreThanItsPart() {
        assertThat(sealed.take("a", PART)).isTrue();
        assertThat(sealed.take("a", PART)).isTrue();
        assertThat(sealed.take("a", 1)).isFalse();
        assertThat(sealed.take("b", SealedInFlight.MOST_OF_ONE)).isTrue();

        sealed.give("a", PART);

        assertThat(sealed.take("a", PART)).isTrue();
        assertThat(sealed.take("a", 1)).isFalse();
    }

    /** Whoever never acknowledges what comes must not keep all others from their secrets. */
    @Test
    void howeverManyTakeAllTheyCanTheNextOneFindsSomething() {
        long all = 0;
        for (int i = 0; i < 100; i++) {
            long taken = most("greedy" + i);
            assertThat(taken).as("of organization %d", i).isGreaterThanOrEqualTo(SealedInFlight.LEAST_OF_ONE);
            all += taken;
        }

        assertThat(sealed.take("next", SealedInFlight.LEAST_OF_ONE)).isTrue();
        assertThat(all).isLessThanOrEqualTo(SealedInFlight.MOST + SealedInFlight.MOST_OF_THE_LEAST);
    }

    @Test
    void fourThatTakeAllLeaveRoomForManySecrets() {
        for (int i = 0; i < 4; i++) {
            most("greedy" + i);
        }

        assertThat(sealed.take("next", 4 << 20)).isTrue();
    }

    @Test
    void thereIsABoundForAllTogether() {
        long all = 0;
        for (int i = 0; i < 2000; i++) {
            all += most("greedy" + i);
        }

        assertThat(all).isLessThanOrEqualTo(SealedInFlight.MOST + SealedInFlight.MOST_OF_THE_LEAST);
        assertThat(sealed.take("next", 1)).isFalse();
        sealed.give("greedy0", PART);
        assertThat(sealed.take("next", SealedInFlight.LEAST_OF_ONE)).isTrue();
    }
}

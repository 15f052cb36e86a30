package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Requests that wait for proxies. */
class WaitPlacesTest {

    private final WaitPlaces places = new WaitPlaces();

    @Test
    void anOrganizationHasFourPlacesAndGetsThemBack() {
        for (int i = 0; i < 4; i++) {
            assertThat(places.enter("a")).isTrue();
        }
        assertThat(places.enter("a")).isFalse();
        assertThat(places.enter("b")).isTrue();

        places.leave("a");

        assertThat(places.enter("a")).isTrue();
        assertThat(places.enter("a")).isFalse();
    }

    @Test
    void allTogetherHaveThirtyTwo() {
        for (int i = 0; i < 32; i++) {
            assertThat(places.enter("o" + i)).isTrue();
        }
        assertThat(places.enter("more")).isFalse();

        places.leave("o1");

        assertThat(places.enter("more")).isTrue();
    }
}

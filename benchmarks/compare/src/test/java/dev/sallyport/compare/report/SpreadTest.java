package dev.sallyport.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SpreadTest {

    private static Sample sample(String peer, int round, double rate) {
        return new Sample("mitm", peer, round, Map.of("per_second", rate), "");
    }

    @Test
    void theMedianOfAnOddNumberIsTheMiddleOne() {
        assertThat(Spread.of(List.of(9.0, 1.0, 4.0))).isEqualTo(new Spread(4, 1, 9, 3));
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheMiddleOnes() {
        assertThat(Spread.of(List.of(8.0, 2.0, 4.0, 1.0))).isEqualTo(new Spread(3, 1, 8, 4));
    }

    @Test
    void nothingHasNoSpread() {
        assertThat(Spread.of(List.of())).isNull();
        assertThat(Spread.of(List.of(sample("one", 1, 5)), "p50_us")).isNull();
    }

    @Test
    void ratiosAreMadeRoundByRound() {
        List<Sample> own = List.of(sample("one", 1, 10), sample("one", 2, 40), sample("one", 4, 7));
        List<Sample> base = List.of(sample("two", 2, 10), sample("two", 1, 5), sample("two", 3, 1));

        assertThat(Spread.ratio(own, base, "per_second")).isEqualTo(new Spread(3, 2, 4, 2));
        assertThat(Spread.difference(own, base, "per_second")).isEqualTo(new Spread(17.5, 5, 30, 2));
    }
}

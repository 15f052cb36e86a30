package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What need not be compiled again. */
class LatestPipelinesTest {

    private final LatestPipelines latest = new LatestPipelines();
    private final Snapshot pipeline = Snapshot.of(1, Compiler.refusing(List.of()), Credentials.NONE);

    private static Scope scope(String organization, int tag) {
        return new Scope(organization, List.of("t" + tag));
    }

    @Test
    void whatHasChangedIsForgottenWhetherItsProxiesAreThereOrNot() {
        latest.put(scope("a", 1), pipeline);
        latest.put(scope("b", 1), pipeline);

        assertThat(latest.take(Set.of("a", "c"))).containsOnlyKeys(scope("a", 1));

        assertThat(latest.get(scope("a", 1))).isNull();
        assertThat(latest.get(scope("b", 1))).isSameAs(pipeline);
    }

    @Test
    void ofProxiesThatWentAwayAnOrganizationHasNoMoreThanItMayHaveConnected() {
        Scope present = scope("a", 0);
        latest.put(present, pipeline);
        for (int i = 1; i <= 100; i++) {
            latest.put(scope("a", i), pipeline);
        }
        latest.put(scope("b", 1), pipeline);

        latest.keep(Set.of(present));

        long kept = IntStream.rangeClosed(0, 100)
                .filter(i -> latest.get(scope("a", i)) != null)
                .count();
        assertThat(kept).isEqualTo(ConnectedScopes.MOST);
        assertThat(latest.get(present)).isNotNull();
        assertThat(latest.get(scope("b", 1))).isNotNull();
    }
}

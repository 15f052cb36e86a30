package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When rules of workloads are compiled, and when they are dropped. */
class LazyRulesTest {

    private static final Destination HERE = Destination.named("h1.example", 443, true);

    private static LazyRules rules(int count, boolean later) throws ConfigException {
        List<Rule> rules = IntStream.range(0, count)
                .mapToObj(i -> Rule.host("h" + i + ".example"))
                .toList();
        return LazyRules.of(rules, false, later);
    }

    /** As the only rules of a pipeline. */
    private static LazyRules bound(LazyRules only) {
        LazyRules.bound(List.of(only));
        return only;
    }

    @Test
    void whatWasCompiledToCheckThemStaysUntilItIsKnownWhetherItIsBeyondTheBound() throws ConfigException {
        LazyRules lazy = rules(5, true);
        assertThat(lazy.isCompiled()).isTrue();

        assertThat(bound(lazy).isCompiled()).isFalse();
    }

    @Test
    void whatOtherPipelinesUseStays() throws ConfigException {
        LazyRules lazy = bound(rules(5, true));
        lazy.use().match(HERE, "GET", "/");

        assertThat(bound(lazy).isCompiled()).isTrue();
    }

    @Test
    void theyAreCompiledAtTheirFirstUseAndDroppedWhenIdle() throws ConfigException {
        LazyRules lazy = bound(rules(5, true));
        RuleSet used = lazy.use();
        assertThat(lazy.isCompiled()).isFalse();
        assertThat(used.match(HERE, "GET", "/")).isEqualTo(1);

        lazy.dropIdle();
        assertThat(lazy.isCompiled()).isTrue();
        lazy.dropIdle();
        assertThat(lazy.isCompiled()).isFalse();

        assertThat(used.match(HERE, "GET", "/")).isEqualTo(1);
        assertThat(lazy.isCompiled()).isTrue();
    }

    @Test
    void thoseOfAProxyWithoutManyWorkloadsStay() throws ConfigException {
        LazyRules eager = rules(5, false);
        eager.dropIdle();
        eager.dropIdle();
        assertThat(eager.isCompiled()).isTrue();
    }

    @Test
    void aLongListIsCompiledAtOnce() throws ConfigException {
        assertThat(bound(rules(LazyRules.MOST, true)).isCompiled()).isFalse();
        assertThat(bound(rules(LazyRules.MOST + 1, true)).isCompiled()).isTrue();
    }

    @Test
    void whatIsBeyondTheBoundOfAPipelineIsCompiledAtOnceAndStays() throws ConfigException {
        List<LazyRules> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(rules(LazyRules.MOST / 5, true));
        }

        LazyRules.bound(all);

        all.forEach(LazyRules::dropIdle);
        assertThat(all.subList(0, 5)).noneMatch(LazyRules::isCompiled);
        assertThat(all.subList(5, 10)).allMatch(LazyRules::isCompiled);
        all.forEach(LazyRules::dropIdle);
        assertThat(all.subList(5, 10)).allMatch(LazyRules::isCompiled);
    }
}

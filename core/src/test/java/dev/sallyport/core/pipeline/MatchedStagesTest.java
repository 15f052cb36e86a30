package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.CompiledRules;
import dev.sallyport.toolkit.match.Destinations;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The stages of one destination, in their order. */
class MatchedStagesTest {

    private static final Destination HERE = Destinations.fromAuthority("a.test:443", 443, true);
    private static final Destination THERE = Destinations.fromAuthority("b.test:443", 443, true);

    private static Stage stage(int position, String... hosts) {
        return new Stage(
                position,
                "t" + position,
                "",
                PipelineFixture.IDLE,
                Capabilities.none(),
                new Stage.Resources(
                        hosts.length == 0 ? null : rules(hosts), null, List.of(), StageSecrets.NONE, Rule::toString),
                Duration.ofMinutes(1).toNanos());
    }

    private static CompiledRules rules(String... hosts) {
        try {
            return CompiledRules.of(Arrays.stream(hosts).map(Rule::host).toList());
        } catch (ConfigException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static List<Integer> positions(MatchedStages stages) {
        return IntStream.range(0, stages.size())
                .mapToObj(i -> stages.stage(i).position())
                .toList();
    }

    @Test
    void thoseThatReachTheDestinationInTheOrderOfTheList() {
        List<Stage> all = List.of(
                stage(0), stage(1, "a.test"), stage(2, "b.test"), stage(3, "b.test", "*.test"), stage(4, "c.test"));

        assertThat(positions(MatchedStages.of(all, HERE))).containsExactly(0, 1, 3);
        assertThat(positions(MatchedStages.of(all, THERE))).containsExactly(0, 2, 3);
    }

    @Test
    void thereMayBeNone() {
        assertThat(MatchedStages.of(List.of(), HERE).size()).isZero();
        assertThat(MatchedStages.of(List.of(stage(0, "b.test")), HERE).size()).isZero();
    }
}

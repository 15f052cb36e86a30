package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RulePlacesTest {

    record Inner(List<Rule> rules) {}

    record Config(
            List<String> domains,
            List<Rule> rules,
            List<Inner> secretEntries,
            Map<String, Inner> named,
            @Nullable Inner none) {}

    /** Nothing that could be written in a file. */
    record Prebuilt(Runnable code) {}

    @Test
    void aRuleStandsWhereItWasBound() {
        // given: rules that are equal, at different places
        List<Rule> same = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            same.add(Rule.builder().host("a.example.com").build());
        }
        Config config = new Config(
                List.of("b.example.com", "a.example.com"),
                List.of(Rule.host("c.example.com"), same.get(0)),
                List.of(new Inner(List.of(same.get(1))), new Inner(List.of(same.get(2)))),
                Map.of("x/y", new Inner(List.of(same.get(3)))),
                null);

        RulePlaces places = RulePlaces.in(config);

        assertThat(same)
                .extracting(places::of)
                .containsExactly(
                        "/rules/1", "/secret_entries/0/rules/0", "/secret_entries/1/rules/0", "/named/x~1y/rules/0");
    }

    @Test
    void aRuleMadeOfATextStandsWhereTheTextDoes() {
        Config config = new Config(List.of("b.example.com", "192.0.2.0/24"), List.of(), List.of(), Map.of(), null);

        RulePlaces places = RulePlaces.in(config);

        assertThat(places.of(Rule.host("b.example.com"))).isEqualTo("/domains/0");
        assertThat(places.of(Rule.cidr("192.0.2.0/24"))).isEqualTo("/domains/1");
        assertThat(places.of(Rule.host("other.example.com"))).isNull();
    }

    @Test
    void whatIsNotBoundFromAFileHasNoPlaces() {
        assertThat(RulePlaces.in(new Prebuilt(() -> {})).of(Rule.host("a"))).isNull();
    }
}

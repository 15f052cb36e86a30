package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a config record may declare, and what happens when keys are not given. */
class BinderTest {

    @ParameterizedTest
    @ValueSource(strings = {"123", "-5", "0", "1.5", "-0.25", "12345678901234567890"})
    void aPlainNumberIsATextWhereOneBelongs(String number) {
        assertThat(Load.transform(Plugins.Probe.class, "probe", "name: " + number)
                        .name())
                .isEqualTo(number);
    }

    /** There are thousands of these, and they are bound in a way of their own. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "host: a.test",
                "host: '*.A.test'",
                "host: 'no'",
                "host: no",
                "host: 192.0.2.1",
                "cidr: 10.0.0.0/8"
            })
    void aRuleOfAHostOrRangeAloneIsAsOneWithAnEmptyList(String only) {
        Plugins.Gate gate =
                Load.transform(Plugins.Gate.class, "gate", "rules: [{" + only + "}, {" + only + ", methods: []}]");
        assertThat(gate.rules().get(0)).isEqualTo(gate.rules().get(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host: a..b",
                "host: [a]",
                "host: 1.10",
                "host: ''",
                "host: 12",
                "hots: a.test",
                "cidr: 10.0.0.1/8"
            })
    void whatIsWrongWithARuleOfAHostOrRangeAloneIsSaidAsOfOneWithAnEmptyList(String only) {
        assertThat(Load.transformProblems("gate", "rules: [{" + only + "}]"))
                .isNotEmpty()
                .isEqualTo(Load.transformProblems("gate", "rules: [{" + only + ", methods: []}]"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0123", "+1", "1.10", "1.0", "1e3", "0x1F", "0o17", ".5", "5.", "true", "False"})
    void whatReadersOfYamlReadDifferentlyNeedsQuotes(String text) {
        assertThat(Load.transformProblems("probe", "name: " + text))
                .singleElement()
                .asString()
                .endsWith(" (expected: a string; put it in quotes)");
        assertThat(Load.transform(Plugins.Probe.class, "probe", "name: '" + text + "'")
                        .name())
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "yes, true",
        "Yes, true",
        "YES, true",
        "on, true",
        "no, false",
        "No, false",
        "off, false",
        "OFF, false",
        "TRUE, true"
    })
    void yesAndNoAreBooleansWhereTheyBelongAndElseTexts(String word, boolean value) {
        Plugins.Probe probe = Load.transform(Plugins.Probe.class, "probe", "name: '" + word + "'\nmaybe: " + word);

        assertThat(probe.maybe()).isEqualTo(value);
        assertThat(probe.name()).isEqualTo(word);
    }

    @Test
    void noIsATextWhereOneBelongs() {
        assertThat(Load.transform(Plugins.Probe.class, "probe", "name: no").name())
                .isEqualTo("no");
        assertThat(Load.transformProblems("probe", "name: x\nmaybe: 'yes'"))
                .containsExactly("f.yaml:7:14: /transforms/0/config/maybe: wrong type: a string"
                        + " (expected: true or false, without quotes)");
        assertThat(Load.transformProblems("probe", "name: x\nmaybe: y"))
                .containsExactly(
                        "f.yaml:7:14: /transforms/0/config/maybe: wrong type: a string" + " (expected: true or false)");
    }

    @Test
    void whatIsNotGivenHasItsDefault() {
        assertThat(Load.transform(Plugins.Probe.class, "probe", "name: x"))
                .isEqualTo(new Plugins.Probe(
                        "x",
                        3,
                        null,
                        0.5,
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(-1),
                        null,
                        null,
                        Plugins.Probe.Colour.DARK_GREEN,
                        List.of(Plugins.Probe.Colour.RED, Plugins.Probe.Colour.BLUE),
                        null,
                        null,
                        Map.of(),
                        Map.of(),
                        null,
                        List.of(),
                        new Plugins.Breaker(5, Duration.ofSeconds(10)),
                        List.of(),
                        "",
                        Map.of()));
    }

    @Test
    void everyTypeIsBound() {
        Plugins.Probe probe = Load.transform(Plugins.Probe.class, "probe", """
                name: "12"
                count: 9
                big: -5000000000
                share: 1e-1
                timeout: 0
                skew: 1m
                cert_file: certs/x.pem
                maybe: false
                colour: blue
                renamed-key: [dark-green]
                only: {host: "*.example.com", methods: [get], ports: [443]}
                token: {type: file, path: t, ttl: 1h, json_key: /a/b, optional: true}
                credentials: {secret: {type: env, var: A}}
                weights: {b: 2, a: 1}
                equals: {x: [1, 1.50, true, "1", 99999999999999999999]}
                in: [1, a]
                breaker: {failures: 1}
                ports: [80, 443]
                """);
        assertThat(probe)
                .isEqualTo(new Plugins.Probe(
                        "12",
                        9,
                        -5_000_000_000L,
                        0.1,
                        Duration.ZERO,
                        Duration.ofMinutes(1),
                        Path.of("/etc/sallyport/certs/x.pem"),
                        false,
                        Plugins.Probe.Colour.BLUE,
                        List.of(Plugins.Probe.Colour.DARK_GREEN),
                        Rule.host("*.example.com").withMethods("get").withPorts(443),
                        new SecretRef(
                                "file",
                                new Plugins.FileSource(Path.of("/etc/sallyport/t"), false, Duration.ofHours(1)),
                                "/a/b",
                                true,
                                ""),
                        Map.of("secret", new SecretRef("env", new Plugins.Env("A"), "", false, "")),
                        Map.of("b", 2, "a", 1),
                        Map.of(
                                "x",
                                List.of(1L, new BigDecimal("1.50"), true, "1", new BigInteger("99999999999999999999"))),
                        List.of(1L, "a"),
                        new Plugins.Breaker(1, Duration.ofSeconds(10)),
                        List.of(80, 443),
                        "",
                        Map.of()));
        assertThat(probe.weights().keySet()).containsExactly("b", "a");
        assertThat(probe.token().pointer()).isEqualTo("/transforms/0/config/token");
    }

    @Test
    void nullMeansNotGiven() {
        assertThat(Load.transform(Plugins.Probe.class, "probe", "name: x\ncount:\nbreaker: ~\nports: null\n"))
                .isEqualTo(Load.transform(Plugins.Probe.class, "probe", "name: x"));
        assertThat(Load.transformProblems("probe", "name:"))
                .containsExactly("f.yaml:6:12: /transforms/0/config/name: missing field \"name\" (expected: a string)");
    }

    @Test
    void aTransformPrintsWithoutItsConfiguration() {
        String text = Load.config(Load.withTransform("probe", "name: s3cret")).toString();
        assertThat(text).doesNotContain("s3cret").contains("TransformEntry[probe at f.yaml:6:7]");
    }

    @Test
    void entriesAreEqualWhereverTheyStand() {
        ProxyConfig one = Load.config(Load.VALID + "transforms: [{name: gate}]");
        ProxyConfig other = Load.config(Load.VALID + "transforms:\n\n  - name: gate\n    config: {warn: false}\n");
        ProxyConfig different = Load.config(Load.VALID + "transforms: [{name: gate, config: {warn: true}}]");
        assertThat(one.transforms()).isEqualTo(other.transforms()).isNotEqualTo(different.transforms());
        assertThat(one.transforms()).hasSameHashCodeAs(other.transforms());
    }

    @Test
    void aFaultWhenATransformIsMadeIsReportedLikeAnyOther() {
        TransformEntry<?> entry = Load.config(Load.withTransform("gate", "warn: true"))
                .transforms()
                .get(0);
        assertThat(entry.problem(new ConfigException("/domains", "cannot be reached", "a host")))
                .hasToString("f.yaml:6:7: /transforms/0/config/domains: cannot be reached (expected: a host)");
    }

    record Fussy(String level, @Nullable String token) {
        Fussy {
            if (level.equals("no")) {
                throw new IllegalArgumentException("level: no (expected: yes)");
            }
            if (level.equals("crash")) {
                throw new IllegalStateException("level " + level + " below the floor, with " + token);
            }
        }
    }

    @Test
    void whatARecordRefusesIsAProblem() {
        PluginCatalog catalog = PluginCatalog.of(
                List.of(Plugins.transform(Descriptor.of("fussy", Fussy.class, ""), (config, problems) -> {})),
                List.of());
        String text = Load.VALID + """
                transforms:
                  - {name: fussy, config: {level: "no"}}
                  - {name: fussy, config: {level: crash}}
                  - {name: fussy, config: {level: crash, token: s3cret}}
                """;
        ConfigResult result = ConfigLoader.load("f.yaml", text, Load.FOLDER, Map.of(), catalog);
        assertThat(((ConfigResult.Invalid) result).problems())
                .extracting(ConfigProblem::toString)
                .satisfiesExactly(
                        refused -> assertThat(refused)
                                .isEqualTo("f.yaml:4:27: /transforms/0/config: level: no (expected: yes)"),
                        crashed -> assertThat(crashed)
                                .startsWith("f.yaml:5:27: /transforms/1/config: ")
                                .contains(Fussy.class.getName() + " failed in its constructor")
                                .contains("java.lang.IllegalStateException: level crash below the floor, with null")
                                .contains("BinderTest.java:"),
                        withSecret -> assertThat(withSecret)
                                .startsWith("f.yaml:6:27: /transforms/2/config: ")
                                .contains(Fussy.class.getName() + " failed in its constructor: IllegalStateException")
                                .contains("BinderTest.java:")
                                .doesNotContain("s3cret"));
    }

    record Unbindable(Optional<String> x) {}

    record Holder(List<Unbindable> inner) {}

    record NoDefault(int x) {}

    record SameKey(@JsonProperty("y") String x, String y) {}

    @Test
    void aRecordThatCannotBeBoundIsAFaultOfItsAuthor() {
        assertThatThrownBy(() -> lookUp(Holder.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Unbindable: component x: configuration cannot be bound to java.util.Optional");
        assertThatThrownBy(() -> lookUp(NoDefault.class))
                .hasMessageContaining("NoDefault: component x: neither required nor @Nullable, and no defaultValue");
        assertThatThrownBy(() -> lookUp(SameKey.class)).hasMessageContaining("two components with the key y");
    }

    private static <C extends Record> void lookUp(Class<C> type) {
        PluginCatalog.of(List.of(Plugins.transform(Descriptor.of("x", type, ""), (config, problems) -> {})), List.of())
                .transform("x");
    }

    @Test
    void aPluginThatNobodyAsksForIsNotLookedAt() {
        PluginCatalog catalog = PluginCatalog.of(
                List.of(Plugins.transform(Descriptor.of("broken", NoDefault.class, ""), (config, problems) -> {})),
                List.of());
        ConfigResult result = ConfigLoader.load("f.yaml", Load.VALID, Load.FOLDER, Map.of(), catalog);
        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
    }

    @Test
    void twoPluginsOfOneNameAreRefused() {
        assertThatThrownBy(() -> PluginCatalog.of(
                        List.of(),
                        List.of(Plugins.source("env", Plugins.Env.class), Plugins.source("env", Fussy.class))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("two plug-ins with the name env: ");
    }
}

package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretRef;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Top-level sections that configure no transform are bound, overridden, checked and described as any other. */
class CompanionSectionsTest {

    private static final Section ECHO = new Section("echo");

    /** What an echo is told. */
    record Echo(
            @JsonProperty(defaultValue = "hello") @JsonPropertyDescription("What it says.")
            String reply,

            @JsonProperty(defaultValue = "3") @Range(min = "1", max = "9")
            int times,

            @Nullable ListenAddress listen,
            String token,
            Deeper deeper) {}

    /** As deep as it goes. */
    record Deeper(@JsonProperty("renamed") String word) {}

    /** A section that asks for what it cannot be given. */
    record Greedy(@Nullable SecretRef token) {}

    private record Section(String section) implements SectionFactory<Echo> {

        @Override
        public Class<Echo> configType() {
            return Echo.class;
        }

        @Override
        public String summary() {
            return "Answers what it was told.";
        }

        @Override
        public void validate(Echo config, Problems problems) {
            if (config.reply().equals("crash")) {
                throw new IllegalStateException("broken by " + config.token());
            }
            if (config.reply().isBlank()) {
                problems.add("/reply", "nothing to say", "a word");
            }
        }

        @Override
        public Map<String, ListenAddress> listeners(Echo config) {
            return config.listen() == null ? Map.of() : Map.of("/listen", config.listen());
        }
    }

    /** Declares {@link Greedy}. */
    private record GreedySection() implements SectionFactory<Greedy> {

        @Override
        public String section() {
            return "greedy";
        }

        @Override
        public Class<Greedy> configType() {
            return Greedy.class;
        }

        @Override
        public String summary() {
            return "Asks for a secret.";
        }
    }

    private static PluginCatalog catalog(SectionFactory<?>... sections) {
        return PluginCatalog.of(
                List.of(Plugins.transform(
                        Descriptor.section("mcp", Plugins.Mcp.class, "Guards tools."), (config, problems) -> {})),
                List.of(),
                List.of(sections));
    }

    private static ConfigResult read(String lines, Map<String, String> environment) {
        return ConfigLoader.load(
                "f.yaml", Load.VALID + lines, Load.FOLDER, environment, catalog(ECHO, new Section("other")));
    }

    private static List<String> problems(String lines, Map<String, String> environment) {
        return ConfigReport.of(read(lines, environment).problems()).lines().toList();
    }

    private static Echo echo(String reply, int times) {
        return new Echo(reply, times, null, "", new Deeper(""));
    }

    private static List<Record> bound(String lines, Map<String, String> environment) {
        ConfigResult result = read(lines, environment);
        assertThat(result.problems()).isEmpty();
        return ((ConfigResult.Loaded) result)
                .config().companions().stream()
                        .<Record>map(SectionEntry::config)
                        .toList();
    }

    @Test
    void aSectionIsBoundWithItsDefaultsAndThereOnlyWhenItIsNamed() {
        assertThat(bound("", Map.of())).isEmpty();
        assertThat(bound("echo:\n", Map.of())).containsExactly(echo("hello", 3));
        assertThat(bound("echo: {reply: hi, times: 9}\n", Map.of())).containsExactly(echo("hi", 9));
    }

    @Test
    void theEnvironmentBeatsTheFileAndIsEnough() {
        assertThat(bound("echo: {reply: hi}\n", Map.of("SALLYPORT_ECHO_REPLY", "hey")))
                .containsExactly(echo("hey", 3));
        assertThat(bound("", Map.of("SALLYPORT_ECHO_TIMES", "1"))).containsExactly(echo("hello", 1));
        assertThat(problems("", Map.of("SALLYPORT_ECHO_REPLI", "x")))
                .containsExactly(
                        "environment:SALLYPORT_ECHO_REPLI: unknown variable (expected: SALLYPORT_ECHO_REPLY?)");
    }

    @Test
    void aVariableBelongsToTheSectionWithTheLongestName() {
        PluginCatalog both = catalog(ECHO, new Section("echo_far"));
        Map<String, String> environment = Map.of("SALLYPORT_ECHO_FAR_QQQQQQQQ", "x");
        ConfigResult result = ConfigLoader.load("f.yaml", Load.VALID, Load.FOLDER, environment, both);
        assertThat(ConfigReport.of(result.problems()).lines())
                .singleElement()
                .asString()
                .contains("unknown variable (expected: one of SALLYPORT_ECHO_FAR_")
                .doesNotContain("SALLYPORT_ECHO_REPLY");
    }

    @Test
    void aWrongValueGetsOneMessageWithItsPlace() {
        assertThat(problems("echo:\n  times: 12\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("f.yaml:4:10: /echo/times: ")
                .contains("(expected: ");
        assertThat(problems("echo:\n  repli: hi\n", Map.of()))
                .containsExactly("f.yaml:4:3: /echo/repli: unknown key \"repli\" (expected: reply?)");
        assertThat(problems("echo:\n  reply: \" \"\n", Map.of()))
                .containsExactly("f.yaml:4:10: /echo/reply: nothing to say (expected: a word)");
        assertThat(problems("echo: [1]\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("f.yaml:3:7: /echo: wrong type: ");
    }

    @Test
    void aFactoryThatFailsIsNamed() {
        assertThat(problems("echo: {reply: crash}\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("f.yaml:3:7: /echo: ")
                .contains(Section.class.getName() + " failed in validate");
    }

    @Test
    void anUnknownSectionIsAnsweredWithTheKnownOnes() {
        assertThat(problems("nothing_like_it: {}\n", Map.of()))
                .containsExactly("f.yaml:3:1: /nothing_like_it: unknown key \"nothing_like_it\""
                        + " (expected: one of dns, echo, log, management, mcp, metrics, other, proxy, tls, transforms,"
                        + " workloads)");
        assertThat(problems("ecko: {}\n", Map.of()))
                .containsExactly("f.yaml:3:1: /ecko: unknown key \"ecko\" (expected: echo?)");
    }

    @Test
    void aListenerThatWouldTakeAnAddressIsRefused() {
        assertThat(problems("metrics: {listen: 127.0.0.1:9}\necho:\n  listen: 127.0.0.1:9\n", Map.of()))
                .containsExactly("f.yaml:5:11: /echo/listen: the address is taken by /metrics/listen"
                        + " (expected: another port)");
        assertThat(problems("echo:\n  listen: 127.0.0.1:9\n", Map.of())).isEmpty();
        assertThat(problems("echo: {listen: 127.0.0.1:9}\nother: {listen: 127.0.0.1:9}\n", Map.of()))
                .containsExactly("f.yaml:4:17: /other/listen: the address is taken by /echo/listen"
                        + " (expected: another port)");
    }

    @Test
    void nothingIsSaidOfAnAddressThatIsNotKnown() {
        assertThat(problems("proxy: {http_listen: x}\necho: {listen: ':80'}\n", Map.of()))
                .singleElement()
                .asString()
                .contains("/proxy/http_listen: ");
        assertThat(problems("echo: {listen: x}\nother: {listen: ':80'}\n", Map.of()))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("/echo/listen: "))
                .anySatisfy(
                        line -> assertThat(line).contains("/other/listen: the address is taken by /proxy/http_listen"));
    }

    @Test
    void aSecretIsNotShown() {
        assertThat(problems("echo: {token: hunter2, reply: crash}\n", Map.of()))
                .singleElement()
                .asString()
                .contains("failed in validate: IllegalStateException")
                .doesNotContain("hunter2");
        assertThat(problems("echo: {reply: crash}\n", Map.of("SALLYPORT_ECHO_TOKEN", "hunter2")))
                .singleElement()
                .asString()
                .doesNotContain("hunter2");
        assertThat(problems("echo: {token: [hunter2]}\n", Map.of()))
                .singleElement()
                .asString()
                .contains("/echo/token: wrong type")
                .doesNotContain("hunter2");
    }

    @Test
    void aSectionCannotHoldReferencesToSecrets() {
        PluginCatalog catalog = PluginCatalog.of(List.of(), List.of(), List.of(new GreedySection()));
        assertThatThrownBy(() -> catalog.companion("greedy"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Greedy.class.getName() + ": token: not in this section: a secret source");
    }

    @Test
    void theSchemaHasIt() throws Exception {
        JsonNode schema = new ObjectMapper().readTree(SchemaGenerator.generate(catalog(ECHO)));
        assertThat(schema.at("/properties/echo/description").asText()).isEqualTo("Answers what it was told.");
        String reference = schema.at("/properties/echo/$ref").asText();
        assertThat(schema.at(reference.substring(1) + "/properties/reply/description")
                        .asText())
                .isEqualTo("What it says.");
        assertThat(schema.at(reference.substring(1) + "/properties/times/maximum")
                        .asInt())
                .isEqualTo(9);
    }

    @Test
    void aChangeIsTold() {
        ProxyConfig without = ((ConfigResult.Loaded) read("", Map.of())).config();
        ProxyConfig one = ((ConfigResult.Loaded) read("echo: {reply: one}\n", Map.of())).config();
        ProxyConfig other = ((ConfigResult.Loaded) read("\n\necho: {reply: other}\n", Map.of())).config();
        assertThat(ConfigDiff.changed(one, one)).isEmpty();
        assertThat(ConfigDiff.changed(one, other)).containsExactly("/echo/reply");
        assertThat(ConfigDiff.changed(one, without)).containsExactly("/echo");
        assertThat(ConfigDiff.changed(without, one)).containsExactly("/echo");
        ProxyConfig deep =
                ((ConfigResult.Loaded) read("echo: {reply: one, deeper: {renamed: x}}\n", Map.of())).config();
        assertThat(ConfigDiff.changed(one, deep)).containsExactly("/echo/deeper/renamed");
    }

    @Test
    void namesThatAreTakenAreRefused() {
        assertThatThrownBy(() -> catalog(ECHO, new Section("echo")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("two plug-ins with the name echo: ");
        assertThatThrownBy(() -> catalog(new Section("mcp")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("two plug-ins with the name mcp: ");
        assertThatThrownBy(() -> catalog(new Section("proxy")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a plug-in with the name of a section of the proxy, proxy: ");
        assertThatThrownBy(() -> catalog(new Section("Echo")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lower snake case");
    }
}

package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plug-ins and values with several names: docs/spec/decisions.md, section 17. */
class PluginNamesTest {

    /** A transform's own configuration. */
    record Config(
            String name,
            @JsonProperty(defaultValue = "first") Provider provider,
            List<SecretRef> tokens) {}

    /** A choice with several names. */
    enum Provider {
        @JsonAlias({"one", "1st"})
        FIRST,
        SECOND
    }

    private record Signing(Descriptor<Config> descriptor) implements TransformFactory<Config> {

        static Signing named(String name, String... others) {
            return new Signing(
                    Descriptor.of(name, Config.class, "Given by a test.").alsoNamed(others));
        }

        @Override
        public String uniqueName(Config config) {
            return config.name();
        }

        @Override
        public Transform create(Config config, BuildContext context) {
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    private record Store(Descriptor<Plugins.Env> descriptor) implements SecretSourceFactory<Plugins.Env> {

        static Store named(String name, String... others) {
            return new Store(
                    Descriptor.of(name, Plugins.Env.class, "Given by a test.").alsoNamed(others));
        }

        @Override
        public SecretSource create(Plugins.Env config, SourceContext context) {
            throw new UnsupportedOperationException();
        }
    }

    private static final PluginCatalog CATALOG = PluginCatalog.of(
            List.of(Signing.named("signing", "aws_signing", "2sign"), Signing.named("other")),
            List.of(Store.named("store", "1store")));

    private static ConfigResult load(String more) {
        return ConfigLoader.load("f.yaml", Load.VALID + more + "\n", Load.FOLDER, Map.of(), CATALOG);
    }

    private static List<TransformEntry<?>> entries(String entries) {
        ConfigResult result = load("transforms: [" + entries + "]");
        assertThat(ConfigReport.of(result.problems())).isEmpty();
        return ((ConfigResult.Loaded) result).config().transforms();
    }

    private static List<String> problems(String more) {
        return ConfigReport.of(load(more).problems()).lines().toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"signing", "aws_signing", "2sign"})
    void anEntryHasTheNameThatTheFileGivesIt(String name) {
        TransformEntry<?> entry =
                entries("{name: " + name + ", config: {name: a}}").getFirst();

        assertThat(entry.name()).isEqualTo(name);
        assertThat(entry.factory().descriptor().name()).isEqualTo("signing");
    }

    @Test
    void aReferenceHasTheNameThatTheFileGivesItAndIsEqualWhateverItIs() {
        Config config =
                (Config) entries("{name: signing, config: {tokens: [{type: store, var: A}, {type: 1store, var: A}]}}")
                        .getFirst()
                        .config();

        assertThat(config.tokens()).extracting(SecretRef::type).containsExactly("store", "1store");
        assertThat(config.tokens().get(0))
                .isEqualTo(config.tokens().get(1))
                .hasSameHashCodeAs(config.tokens().get(1));
    }

    @Test
    void twoEntriesOfOneInstanceNameAreFoundWhateverTheyAreCalled() {
        assertThat(problems("transforms: [{name: signing, config: {name: a}}, {name: 2sign, config: {name: a}}]"))
                .containsExactly("f.yaml:3:79: /transforms/1/config/name: another 2sign has this name"
                        + " (expected: a name of its own)");
    }

    @ParameterizedTest
    @CsvSource({"FIRST, first", "FIRST, one", "FIRST, 1st", "SECOND, second"})
    void aValueMayHaveSeveralNames(Provider provider, String name) {
        assertThat(entries("{name: signing, config: {provider: " + name + "}}")
                        .getFirst()
                        .config())
                .isEqualTo(new Config("", provider, List.of()));
    }

    @Test
    void messagesKnowAllNames() {
        assertThat(problems("transforms: [{name: aws_sining}]").getFirst())
                .contains("unknown transform \"aws_sining\" (expected: aws_signing? known: one of 2sign, aws_signing,"
                        + " other, signing)");
        assertThat(problems("transforms: [{name: signing, config: {tokens: [{type: 2store, var: A}]}}]")
                        .getFirst())
                .contains("(expected: 1store? known: one of 1store, store)");
        assertThat(problems("transforms: [{name: signing, config: {provider: third}}]")
                        .getFirst())
                .contains("(expected: one of first, one, 1st, second)");
    }

    @Test
    void theSchemaShowsThemAsEquals() throws Exception {
        JsonNode schema = new ObjectMapper().readTree(SchemaGenerator.generate(CATALOG));

        assertThat(schema.at("/$defs/transform/oneOf").findValuesAsText("const"))
                .containsExactly("other");
        assertThat(schema.at("/$defs/transform/oneOf/1/properties/name/enum"))
                .extracting(JsonNode::asText)
                .containsExactly("signing", "aws_signing", "2sign");
        assertThat(schema.at("/$defs/secret_source/oneOf"))
                .singleElement()
                .satisfies(store -> assertThat(store.at("/properties/type/enum"))
                        .extracting(JsonNode::asText)
                        .containsExactly("store", "1store"));
        assertThat(schema.at("/$defs/config.PluginNamesTest.Config/properties/provider/enum"))
                .extracting(JsonNode::asText)
                .containsExactly("first", "one", "1st", "second");
    }

    @Test
    void twoPluginsCannotHaveOneName() {
        List<Signing> clash = List.of(Signing.named("a", "shared"), Signing.named("shared"));
        assertThatThrownBy(() -> PluginCatalog.of(clash, List.of()))
                .hasMessageContaining("two plug-ins with the name shared")
                .hasMessageContaining("(expected: one of the two)");

        List<Store> stores = List.of(Store.named("a", "shared"), Store.named("b", "shared"));
        assertThatThrownBy(() -> PluginCatalog.of(List.of(), stores))
                .hasMessageContaining("two plug-ins with the name shared");
    }

    @Test
    void namesAreLowerSnakeCaseEachOnceAndOneForASection() {
        Descriptor<Config> one = Descriptor.of("one", Config.class, "Given by a test.");

        assertThat(one.alsoNamed("1two").names()).containsExactly("one", "1two");
        assertThatThrownBy(() -> one.alsoNamed("Two")).hasMessageContaining("lower snake case");
        assertThatThrownBy(() -> one.alsoNamed("one")).hasMessageContaining("each once");
        assertThatThrownBy(() -> Descriptor.section("mcp", Config.class, "Given by a test.")
                        .alsoNamed("tools"))
                .hasMessageContaining("one name");
    }

    @Test
    void sectionsOfIronProxyAreNamedWithWhatToDoInstead() {
        assertThat(problems("postgres: {listen: \":5432\"}"))
                .containsExactly("f.yaml:3:1: /postgres: the section postgres of iron-proxy does not exist here"
                        + " (expected: no such section: a proxy for PostgreSQL is not part of Sallyport; let database"
                        + " traffic reach a proxy for PostgreSQL on another way)");
        assertThat(problems("mcp_gateway: {routes: []}"))
                .containsExactly("f.yaml:3:1: /mcp_gateway: the section mcp_gateway of iron-proxy does not exist here"
                        + " (expected: no such section: give the client the address of the MCP server itself, with its"
                        + " tools in mcp and its credentials in a secrets entry with inject)");
    }
}

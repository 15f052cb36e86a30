package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SchemaGeneratorTest {

    private final JsonNode schema = read(SchemaGenerator.generate(Plugins.catalog()));

    private static JsonNode read(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode definition(String name) {
        return schema.path("$defs").path(name);
    }

    @Test
    void theTopLevelHasTheSectionsAndThoseOfPlugins() {
        assertThat(schema.get("$schema").asText()).isEqualTo("https://json-schema.org/draft/2020-12/schema");
        assertThat(schema.get("properties").fieldNames())
                .toIterable()
                .containsExactly(
                        "dns", "proxy", "tls", "transforms", "management", "metrics", "log", "workloads", "mcp");
        assertThat(schema.get("additionalProperties").asBoolean()).isFalse();
    }

    @Test
    void aFieldHasTypeBoundsDefaultAndDescription() {
        assertThat(definition("config.ProxySection").at("/properties/sni_upstream_port"))
                .isEqualTo(read("""
                                {"type": "integer", "minimum": 1, "maximum": 65535, "default": 443,
                                 "description": "Port that https_listen dials for TLS that is passed through."}
                                """));
        assertThat(definition("config.ProxySection").at("/properties/upstream_deny_cidrs/default"))
                .isEqualTo(read("[\"169.254.169.254/32\", \"fd00:ec2::254/128\", \"127.0.0.0/8\", \"::1/128\"]"));
        assertThat(definition("config.TlsSection").at("/properties/mode/enum"))
                .isEqualTo(read("[\"mitm\", \"sni-only\"]"));
        assertThat(definition("config.ManagementSection").get("required")).isEqualTo(read("[\"listen\"]"));
    }

    @Test
    void durationsAndListenersHavePatterns() {
        JsonNode duration =
                definition("config.ProxySection").at("/properties/upstream_response_header_timeout/anyOf/0/pattern");
        assertThat("1h30m").matches(duration.asText());
        assertThat("1h 30m").doesNotMatch(duration.asText());
        JsonNode listen = definition("config.ProxySection").at("/properties/http_listen/pattern");
        assertThat(List.of(":80", "127.0.0.1:80", "[::1]:80", "localhost:80", "disabled"))
                .allSatisfy(address -> assertThat(address).containsPattern(listen.asText()));
        assertThat(List.of("80", "::1:80", "off", "x:"))
                .noneSatisfy(address -> assertThat(address).containsPattern(listen.asText()));
    }

    @Test
    void transformsAreToldApartByName() {
        JsonNode gate = definition("transform").at("/oneOf/0");
        assertThat(gate.at("/properties/name/const").asText()).isEqualTo("gate");
        assertThat(gate.at("/properties/name/description").asText()).isEqualTo("Lets hosts through.");
        assertThat(gate.at("/properties/config/$ref").asText()).isEqualTo("#/$defs/config.Plugins.Gate");
        assertThat(gate.get("required")).isEqualTo(read("[\"name\"]"));
        assertThat(definition("transform").at("/oneOf/1/required")).isEqualTo(read("[\"name\", \"config\"]"));
    }

    @Test
    void secretSourcesAreToldApartByType() {
        JsonNode env = definition("secret_source").at("/oneOf/0");
        assertThat(env.at("/properties").fieldNames())
                .toIterable()
                .containsExactly("type", "var", "json_key", "optional");
        assertThat(env.get("required")).isEqualTo(read("[\"type\", \"var\"]"));
        assertThat(env.get("additionalProperties").asBoolean()).isFalse();
    }

    @Test
    void aRuleHasAHostOrARange() {
        assertThat(definition("spi.Rule").get("oneOf"))
                .isEqualTo(read("[{\"required\": [\"host\"]}, {\"required\": [\"cidr\"]}]"));
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        Set<String> references = new HashSet<>();
        collect(schema, references);
        List<String> known = new ArrayList<>();
        schema.get("$defs").fieldNames().forEachRemaining(name -> known.add("#/$defs/" + name));
        assertThat(references).isNotEmpty();
        assertThat(known).containsAll(references);
    }

    private static void collect(JsonNode node, Set<String> references) {
        if (node.isObject() && node.has("$ref")) {
            references.add(node.get("$ref").asText());
        }
        node.forEach(child -> collect(child, references));
    }

    @Test
    void everyFieldOfTheEngineIsDescribed() {
        schema.get("$defs").properties().forEach(definition -> {
            if (definition.getKey().startsWith("config.")
                    && !definition.getKey().contains("Plugins")) {
                definition
                        .getValue()
                        .get("properties")
                        .properties()
                        .forEach(field -> assertThat(
                                        field.getValue().path("description").asText())
                                .as(definition.getKey() + "." + field.getKey())
                                .isNotEmpty());
            }
        });
    }

    @Test
    void theSamePluginsGiveTheSameText() {
        assertThat(SchemaGenerator.generate(Plugins.catalog()))
                .isEqualTo(SchemaGenerator.generate(Plugins.catalog()))
                .endsWith("}\n");
    }
}

package dev.sallyport.control;

import static dev.sallyport.control.SecretBodies.inject;
import static dev.sallyport.control.SecretBodies.replace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Source, rules and blocks of secret policies, row by row. */
class SecretPolicyFieldsTest {

    private static final String PATH = "/v1/policies/secrets";

    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "{},source.var",
                "`{\"type\": \"env\"}`,source.var",
                "`{\"type\": \"env\", \"var\": \"1X\"}`,source.var",
                "`{\"type\": \"cloud_sm\"}`,source.secret_id",
                "`{\"type\": \"cloud_ssm\"}`,source.name",
                "`{\"type\": \"file\", \"var\": \"X\"}`,source.type",
                "`{\"var\": \"X\", \"ttl\": \"5\"}`,source.ttl",
                "`{\"var\": \"X\", \"ttl\": \"5d\"}`,source.ttl",
                "`{\"var\": \"X\", \"ttl\": \"h\"}`,source.ttl",
                "`{\"var\": \"X\", \"ttl\": 5}`,source.ttl",
                "`{\"type\": \"cloud_ssm\", \"name\": \"X\", \"with_decryption\": \"yes\"}`,source.with_decryption",
                "`{\"var\": \"X\", \"unknown\": 1}`,source.unknown",
                "`{\"type\": \"cloud_sm\", \"secret_id\": \"prod/x y\"}`,source.secret_id",
                "`{\"type\": \"cloud_sm\", \"secret_id\": \"prod\\t\"}`,source.secret_id",
                "`{\"type\": \"cloud_ssm\", \"name\": \"/p\\n\"}`,source.name",
                "`{\"type\": \"cloud_ssm\", \"name\": \"\\u007f\"}`,source.name",
                "`{\"type\": \"cloud_sm\", \"secret_id\": \"s\", \"region\": \"EU-WEST-1\"}`,source.region",
                "`{\"type\": \"cloud_sm\", \"secret_id\": \"s\", \"region\": \"eu_1\"}`,source.region",
                "`{\"type\": \"cloud_ssm\", \"name\": \"s\", \"region\": \"1\"}`,source.region",
                "`{\"type\": \"cloud_ssm\", \"name\": \"s\", \"region\": \"-a\"}`,source.region",
                "`{\"type\": \"cloud_ssm\", \"name\": \"s\", \"region\": \"é\"}`,source.region",
                "`{\"type\": \"cloud_sm\", \"secret_id\": \"s\", \"ttl\": \"2562048h\"}`,source.ttl",
                "`{\"var\": \"X\", \"ttl\": \"9223372036854775807s\"}`,source.ttl",
                "`\"X\"`,source"
            })
    void sourcesThatAreWrongAre422(String source, String field) {
        assertThat(api.post(PATH, inject("/source", source)).fields()).containsExactly(field);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"type\": \"env\", \"var\": \"X\", \"json_key\": \"k\", \"ttl\": \"5m\"}`",
                "`{\"type\": \"cloud_sm\", \"secret_id\": \"arn:x\", \"region\": \"eu-1\", \"ttl\": \"2562047h\"}`",
                "`{\"type\": \"cloud_ssm\", \"name\": \"/p\", \"region\": \"eu-1\", \"ttl\": \"0s\", \"with_decryption\": true}`"
            })
    void sourcesAreKept(String source) {
        assertThat(api.post(PATH, inject("/source", source)).data().path("source"))
                .isEqualTo(Api.tree(source));
    }

    @Test
    void sourceMembersOfAnotherTypeAreDropped() {
        assertThat(api.post(
                                PATH,
                                inject(
                                        "/source",
                                        "{\"type\": \"env\", \"var\": \"X\", \"secret_id\": 5, \"name\": \"n\", \"region\": \"r\", \"with_decryption\": 1}"))
                        .data()
                        .path("source"))
                .isEqualTo(Api.tree("{\"type\": \"env\", \"var\": \"X\"}"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "{},inject_config",
                "`{\"header\": \"A\", \"query_param\": \"b\"}`,inject_config",
                "`{\"header\": \"not a name\"}`,inject_config.header",
                "`{\"header\": \"\"}`,inject_config.header",
                "`{\"header\": \"Content-Length\"}`,inject_config.header",
                "`{\"query_param\": \"\"}`,inject_config.query_param",
                "`{\"query_param\": \"k\", \"formatter\": \"{{.Value}}\"}`,inject_config.formatter",
                "`{\"header\": \"A\", \"formatter\": \"{{.Value\"}`,inject_config.formatter",
                "`{\"header\": \"A\", \"formatter\": \"Bearer {{.Value}}\\n\"}`,inject_config.formatter",
                "`{\"header\": \"A\", \"formatter\": \"a\\u0001b{{.Value}}\"}`,inject_config.formatter",
                "`{\"header\": \"A\", \"query_param\": \"\"}`,inject_config",
                "`{\"header\": \"A\", \"formatter\": \"{{.Other}}\"}`,inject_config.formatter"
            })
    void injectConfigsThatAreWrongAre422(String config, String field) {
        assertThat(api.post(PATH, inject("/inject_config", config)).fields()).containsExactly(field);
    }

    /** Null is absent where a field is optional, inside of blocks too. */
    @Test
    void nullMembersAreAbsent() {
        JsonNode policy = api.post(
                        PATH,
                        inject(
                                        "/source",
                                        "{\"type\": null, \"var\": \"X\", \"json_key\": null, \"ttl\": null, \"region\": null}")
                                .replace("\"formatter\"", "\"query_param\": null, \"formatter\"")
                                .replaceFirst(
                                        "\\{",
                                        "{\"rules\": [{\"host\": \"a.test\", \"cidr\": null, \"paths\": null, \"methods\": null, \"ports\": null, \"scheme\": null}], \"replace_config\": null, "))
                .data();

        assertThat(policy.path("source")).isEqualTo(Api.tree("{\"type\": \"env\", \"var\": \"X\"}"));
        assertThat(policy.path("inject_config").has("query_param")).isFalse();
        assertThat(policy.path("rules"))
                .isEqualTo(Api.tree("[{\"host\": \"a.test\", \"paths\": [], \"methods\": [], \"ports\": []}]"));
    }

    @ParameterizedTest
    @CsvSource({"1,201", "63,201", "64,422"})
    void aRegionHas63CharactersAtMost(int length, int status) {
        assertThat(api.post(
                                PATH,
                                inject(
                                        "/source",
                                        "{\"type\": \"cloud_ssm\", \"name\": \"n\", \"region\": \"" + "a".repeat(length)
                                                + "\"}"))
                        .status())
                .isEqualTo(status);
    }

    @Test
    void plaintextIsAllowedWhereItIsSaid() {
        assertThat(api.post(PATH, inject("/allow_plaintext", "true"))
                        .data()
                        .path("allow_plaintext")
                        .asBoolean())
                .isTrue();
        assertThat(api.post(PATH, inject("/allow_plaintext", "\"yes\"")).fields())
                .containsExactly("allow_plaintext");
    }

    @Test
    void aQueryParameterIsKept() {
        assertThat(api.post(PATH, inject("/inject_config", "{\"query_param\": \"api_key\"}"))
                        .data()
                        .path("inject_config"))
                .isEqualTo(Api.tree("{\"query_param\": \"api_key\"}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "A-b.c_d~e", "a%2Fb", "%C3%A4", "..."})
    void proxyValuesAreUrlSafe(String value) {
        assertThat(api.post(PATH, replace(value))
                        .data()
                        .at("/replace_config/proxy_value")
                        .asText())
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "a%2", "a%zz", "%00", "a%5Cb", ".", "..", "%2e", "%2E.", "ä"})
    void otherProxyValuesAre422(String value) {
        assertThat(api.post(PATH, replace(value)).fields()).containsExactly("replace_config.proxy_value");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "{},rules[0]",
                "`{\"host\": \"a.test\", \"cidr\": \"10.0.0.0/8\"}`,rules[0]",
                "`{\"host\": \"https://a.test\"}`,rules[0].host",
                "`{\"cidr\": \"10.0.0.0/33\"}`,rules[0].cidr",
                "`{\"host\": \"a.test\", \"paths\": [\"v1\"]}`,rules[0].paths[0]",
                "`{\"host\": \"a.test\", \"ports\": [0]}`,rules[0].ports[0]",
                "`{\"host\": \"a.test\", \"scheme\": \"ftp\"}`,rules[0].scheme",
                "`{\"host\": \"a.test\", \"methods\": [\"GE T\"]}`,rules[0].methods[0]",
                "`{\"host\": 5}`,rules[0].host",
                "`{\"hosts\": [\"a\"], \"host\": \"a.test\"}`,rules[0].hosts",
                "`7`,rules[0]"
            })
    void rulesThatAreWrongAre422(String rule, String field) {
        assertThat(api.post(PATH, inject("/rules", "[" + rule + "]")).fields()).containsExactly(field);
    }

    @Test
    void rulesAreKeptWithEmptyListsForAll() {
        Api.Reply reply = api.post(
                PATH,
                inject(
                        "/rules",
                        "[{\"host\": \"*.example.com\", \"paths\": [\"/v1/*\"], \"methods\": [\"GET\"], \"ports\": [8443], \"scheme\": \"https\"}, {\"cidr\": \"10.0.0.0/8\"}]"));

        assertThat(reply.data().path("rules"))
                .isEqualTo(Api.tree(
                        "[{\"host\": \"*.example.com\", \"paths\": [\"/v1/*\"], \"methods\": [\"GET\"], \"ports\": [8443], \"scheme\": \"https\"},"
                                + "{\"cidr\": \"10.0.0.0/8\", \"paths\": [], \"methods\": [], \"ports\": []}]"));
    }

    @Test
    void allProblemsComeInOne422() {
        Api.Reply reply = api.post(
                PATH,
                "{\"name\": \"A\", \"mode\": \"inject\", \"source\": {\"type\": \"cloud_sm\"}, \"inject_config\": {}, \"rules\": [{}, {\"host\": \"a b\"}], \"extra\": 1}");

        assertThat(reply.fields())
                .containsExactlyInAnyOrder(
                        "name", "priority", "source.secret_id", "inject_config", "rules[0]", "rules[1].host", "extra");
    }
}

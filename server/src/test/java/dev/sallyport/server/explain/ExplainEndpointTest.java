package dev.sallyport.server.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /v1/explain} (docs/spec/decisions.md, section 13). */
class ExplainEndpointTest {

    private static final String YAML = """
            tls: {mode: sni-only}
            dns: {enabled: false}
            transforms:
              - name: allowlist
                config:
                  rules:
                    - {host: api.example.com, methods: [POST]}
              - name: annotate
                config:
                  annotations: [{rules: [{host: "*"}], headers: [X-Id]}]
            """;

    private static final ObjectMapper JSON = new ObjectMapper();

    private DryRun dry;
    private ExplainEndpoint endpoint;

    @BeforeEach
    void open() throws Exception {
        dry = EgressProxy.builder()
                .configText("proxy.yaml", YAML)
                .environment(Map.of())
                .dryRun(false);
        endpoint = new ExplainEndpoint(dry::explain);
    }

    @AfterEach
    void close() {
        dry.close();
    }

    private ExplainEndpoint.Answer post(String json) throws Exception {
        return endpoint.answer(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void the_members_of_an_answer() throws Exception {
        ExplainEndpoint.Answer answer = post("""
                {"method":"POST","url":"http://api.example.com:8080/x","headers":{"X-Id":["1","2"],"Accept":"*/*"},
                 "body":"abc","workload":"ci","source_address":"192.0.2.7","live":false}""");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(JSON.readTree(answer.json())).isEqualTo(JSON.readTree("""
                {"verdict":"allow","status":0,
                 "rule":{"file":"proxy.yaml","line":7,"pointer":"/transforms/0/config/rules/0"},
                 "workload":"ci",
                 "destination":{"host":"api.example.com","port":8080,"tls":false},
                 "transforms":[
                  {"name":"allowlist","phase":"request","action":"allow",
                   "entry":{"file":"proxy.yaml","line":6,"pointer":"/transforms/0/config"},
                   "rule":{"file":"proxy.yaml","line":7,"pointer":"/transforms/0/config/rules/0"},
                   "edits":[],"annotations":{}},
                  {"name":"annotate","phase":"request","action":"allow",
                   "entry":{"file":"proxy.yaml","line":10,"pointer":"/transforms/1/config"},
                   "rule":{"file":"proxy.yaml","line":10,"pointer":"/transforms/1/config/annotations/0/rules/0"},
                   "edits":[],"annotations":{"header:X-Id":["1","2"]}}],
                 "response":{"transforms":[],"redacted":[]}}"""));
    }

    @Test
    void the_rule_is_the_one_that_admits_whatever_matched_before_it() throws Exception {
        String yaml = """
                tls: {mode: sni-only}
                dns: {enabled: false}
                transforms:
                  - name: annotate
                    config:
                      annotations: [{rules: [{host: "*"}], headers: [X-Id]}]
                  - name: allowlist
                    config:
                      rules:
                        - {host: other.example.com}
                        - {host: api.example.com}
                """;
        try (DryRun observed = EgressProxy.builder()
                .configText("proxy.yaml", yaml)
                .environment(Map.of())
                .dryRun(false)) {
            ExplainEndpoint.Answer answer = new ExplainEndpoint(observed::explain)
                    .answer("{\"method\":\"GET\",\"url\":\"http://api.example.com/\"}"
                            .getBytes(StandardCharsets.UTF_8));

            assertThat(JSON.readTree(answer.json()).at("/rule/pointer").asText())
                    .isEqualTo("/transforms/1/config/rules/1");
        }
    }

    @Test
    void a_refusal() throws Exception {
        JsonNode answer =
                JSON.readTree(post("{\"method\":\"GET\",\"url\":\"http://api.example.com/\",\"headers\":null}")
                        .json());

        assertThat(answer.get("verdict").asText()).isEqualTo("reject");
        assertThat(answer.get("status").asInt()).isEqualTo(403);
        assertThat(answer.get("code").asText()).isEqualTo("destination_not_allowed");
        assertThat(answer.get("rejected_by").asText()).isEqualTo("allowlist");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                | 400 | bad_request
            {                                 | 400 | bad_request
            []                                | 400 | bad_request
            {"method":"GET","method":"PUT"}   | 400 | bad_request
            {"method":"GET"} {}               | 400 | bad_request
            {}                                | 422 | validation_error
            """)
    void what_is_no_request(String body, int status, String code) throws Exception {
        ExplainEndpoint.Answer answer = post(body);

        assertThat(answer.status()).isEqualTo(status);
        JsonNode error = JSON.readTree(answer.json()).get("error");
        assertThat(error.get("code").asText()).isEqualTo(code);
        assertThat(error.get("message").asText()).isNotEmpty();
    }

    @Test
    void every_field_that_is_wrong_is_named() throws Exception {
        assertThat(fields("{\"url\":1,\"headers\":[\"a\"],\"live\":\"yes\",\"verbose\":true}"))
                .containsOnlyKeys("method", "url", "headers", "live", "verbose");
        assertThat(fields("{\"method\":\"G T\",\"url\":\"x\",\"headers\":{\"a b\":\"c\"}}"))
                .containsOnlyKeys("method", "url", "headers");
        assertThat(fields("{\"method\":\"GET\",\"url\":\"http://a/\",\"source_address\":\"here\"}"))
                .containsOnlyKeys("source_address");
        assertThat(fields("{\"method\":\"GET\",\"url\":\"http://a/\",\"user\":\"nobody\"}"))
                .containsEntry("user", "no such user (expected: one of proxy.auth.users)");
    }

    private Map<String, String> fields(String body) throws Exception {
        ExplainEndpoint.Answer answer = post(body);
        assertThat(answer.status()).isEqualTo(422);
        Map<String, String> fields = new HashMap<>();
        JSON.readTree(answer.json())
                .at("/error/fields")
                .forEach(field -> fields.put(
                        field.get("field").asText(), field.get("message").asText()));
        return fields;
    }

    @Test
    void a_body_beyond_the_limit() throws Exception {
        assertThat(endpoint.answer(new byte[ExplainEndpoint.MOST_BYTES + 1]).status())
                .isEqualTo(413);
    }

    @Test
    void text_beyond_ascii_is_sent_in_utf8() throws Exception {
        JsonNode answer = JSON.readTree(
                post("{\"method\":\"POST\",\"url\":\"http://api.example.com/\",\"headers\":{\"X-Id\":\"\u00e9\"}}")
                        .json());

        assertThat(answer.at("/transforms/1/annotations/header:X-Id").asText()).isEqualTo("\u00c3\u00a9");
    }
}

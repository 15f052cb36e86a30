package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code POST /v1/egress/explain} (docs/spec/decisions.md, section 16): each outcome, by the account's own objects. */
@Timeout(120)
class ExplainEgressTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RULES = "/v1/egress/rules";

    @TempDir
    Path folder;

    private ControlSite site;
    private ControlApi api;

    @BeforeEach
    void begin() throws Exception {
        site = new ControlSite(folder);
        api = site.signUp();
    }

    @AfterEach
    void end() throws Exception {
        site.close();
    }

    private static JsonNode explain(ControlApi account, String method, String url, String... headers) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("method", method).put("url", url);
        for (int i = 0; i < headers.length; i += 2) {
            body.withObjectProperty("headers").put(headers[i], headers[i + 1]);
        }
        return account.send("POST", "/v1/egress/explain", body.toString(), 200);
    }

    private String rule(String body) throws Exception {
        return api.send("POST", RULES, body, 201).path("id").asText();
    }

    private String policy(String kind, String body) throws Exception {
        String path = api.create("/v1/policies/" + kind, body);
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(element -> texts.add(element.asText()));
        return texts;
    }

    @Test
    void aNewAccountIsRefusedEverythingByNoRule() throws Exception {
        JsonNode answer = explain(api, "GET", "https://api.example.com/v1");

        assertThat(answer.path("verdict").asText()).isEqualTo("reject");
        assertThat(answer.path("status").asInt()).isEqualTo(403);
        assertThat(answer.path("code").asText()).isEqualTo("destination_not_allowed");
        assertThat(answer.path("decided_by").asText()).isEqualTo("allowlist");
        assertThat(answer.path("rule").isNull()).isTrue();
        assertThat(answer.path("egress"))
                .isEqualTo(JSON.readTree("{\"mode\": \"enforce\", \"verdict\": \"denied\", \"rule\": null}"));
        assertThat(answer.path("destination"))
                .isEqualTo(JSON.readTree("{\"host\": \"api.example.com\", \"port\": 443, \"tls\": true}"));
        assertThat(answer.path("problems")).isEmpty();
    }

    @Test
    void theRuleThatLetsThroughIsNamed() throws Exception {
        rule("{\"host\": \"other.example.com\"}");
        String wild = rule("{\"host\": \"*.github.com\"}");
        String range = rule("{\"cidr\": \"192.0.2.0/24\"}");
        String network = policy(
                "network",
                "{\"name\": \"n\", \"priority\": 1, \"rules\": [{\"host\": \"one.test\"}, {\"host\": \"two.test\", \"methods\": [\"GET\"], \"paths\": [\"/a/*\"]}]}");

        JsonNode host = explain(api, "GET", "https://api.github.com/");
        JsonNode address = explain(api, "GET", "http://192.0.2.7:8080/");
        JsonNode path = explain(api, "GET", "https://two.test/a/b");
        JsonNode method = explain(api, "POST", "https://two.test/a/b");

        assertThat(host.path("verdict").asText()).isEqualTo("allow");
        assertThat(host.path("status").isNull()).isTrue();
        assertThat(host.path("rule").asText()).isEqualTo(wild);
        assertThat(host.at("/egress/rule").asText()).isEqualTo(wild);
        assertThat(address.path("rule").asText()).isEqualTo(range);
        assertThat(address.at("/destination/port").asInt()).isEqualTo(8080);
        assertThat(path.path("rule").asText()).isEqualTo(network);
        assertThat(method.path("verdict").asText()).isEqualTo("reject");
        assertThat(method.at("/egress/verdict").asText()).isEqualTo("denied");
    }

    @Test
    void whatTheProxyDoesNotDialIsDeniedByItsFile() throws Exception {
        rule("{\"cidr\": \"127.0.0.0/8\"}");

        JsonNode byDefault = explain(api, "GET", "http://127.0.0.1:9999/");

        assertThat(byDefault.path("verdict").asText()).isEqualTo("error");
        assertThat(byDefault.path("status").asInt()).isEqualTo(502);
        assertThat(byDefault.path("code").asText()).isEqualTo("upstream_denied");

        site.close();
        site = ControlSite.denying(folder.resolve("other"), "[10.0.0.0/8]");
        api = site.signUp();
        rule("{\"cidr\": \"127.0.0.0/8\"}");
        rule("{\"cidr\": \"10.9.9.0/24\"}");

        assertThat(explain(api, "GET", "http://127.0.0.1:9999/").path("verdict").asText())
                .isEqualTo("allow");
        assertThat(explain(api, "GET", "http://10.9.9.9/").path("code").asText())
                .isEqualTo("upstream_denied");
    }

    @Test
    void whatWarnLetsThroughIsDeniedAndAllowed() throws Exception {
        api.send("PUT", "/v1/egress/policy", "{\"mode\": \"warn\"}", 200);

        JsonNode answer = explain(api, "GET", "https://api.example.com/");

        assertThat(answer.path("verdict").asText()).isEqualTo("allow");
        assertThat(answer.path("rule").isNull()).isTrue();
        assertThat(answer.at("/egress/mode").asText()).isEqualTo("warn");
        assertThat(answer.at("/egress/verdict").asText()).isEqualTo("denied");
    }

    @Test
    void aTunnelIsJudgedByItsHost() throws Exception {
        rule("{\"host\": \"a.test\"}");

        assertThat(explain(api, "CONNECT", "a.test:443").path("verdict").asText())
                .isEqualTo("allow");
        JsonNode refused = explain(api, "CONNECT", "b.test:443");
        assertThat(refused.path("verdict").asText()).isEqualTo("reject");
        assertThat(refused.at("/steps/0/phase").asText()).isEqualTo("connect");
    }

    @Test
    void theSecretPolicyThatInjectsIsNamedAndNoValueShows() throws Exception {
        rule("{\"host\": \"a.test\"}");
        String secret = policy(
                "secrets",
                "{\"name\": \"key\", \"priority\": 1, \"mode\": \"inject\", \"source\": {\"type\": \"env\", \"var\": \"PATH\"}, "
                        + "\"rules\": [{\"host\": \"a.test\"}], "
                        + "\"inject_config\": {\"header\": \"X-Key\", \"formatter\": \"{{.Value}}\"}}");

        JsonNode answer = explain(api, "GET", "https://a.test/", "Cookie", "mine=private");

        assertThat(answer.path("verdict").asText()).isEqualTo("allow");
        JsonNode step = answer.path("steps").path(answer.path("steps").size() - 1);
        assertThat(step.path("transform").asText()).isEqualTo("secrets");
        assertThat(texts(step.path("rules"))).containsExactly(secret);
        assertThat(step.path("edits")).isEqualTo(JSON.readTree("[{\"edit\": \"set_header\", \"name\": \"X-Key\"}]"));
        assertThat(answer.toString()).doesNotContain("private").doesNotContain(System.getenv("PATH"));
    }

    @Test
    void theMcpPolicyThatRefusesIsNamed() throws Exception {
        rule("{\"host\": \"mcp.test\"}");
        String mcp = policy(
                "mcp",
                "{\"name\": \"tools\", \"priority\": 1, \"rules\": [{\"host\": \"mcp.test\"}], \"tools\": [{\"name\": \"search\"}]}");

        JsonNode answer = explain(api, "POST", "https://mcp.test/mcp", "X-HTTP-Method-Override", "GET");

        assertThat(answer.path("verdict").asText()).isEqualTo("reject");
        assertThat(answer.path("decided_by").asText()).isEqualTo("mcp");
        assertThat(answer.path("rule").asText()).isEqualTo(mcp);
        assertThat(answer.at("/egress/verdict").asText())
                .as("allowed by egress, and refused later")
                .isEqualTo("allowed");
    }

    @Test
    void policiesWithTagsThatTheProxyOfTheInstallationDoesNotCarryDoNotCount() throws Exception {
        policy(
                "network",
                "{\"name\": \"n\", \"priority\": 1, \"match_tags\": [\"eu\"], \"rules\": [{\"host\": \"a.test\"}]}");

        assertThat(explain(api, "GET", "https://a.test/").path("verdict").asText())
                .isEqualTo("reject");
    }

    @Test
    void anotherAccountsRulesDoNotCount() throws Exception {
        String mine = rule("{\"host\": \"a.test\"}");
        ControlApi stranger = site.signUp();

        JsonNode theirs = explain(stranger, "GET", "https://a.test/");

        assertThat(theirs.path("verdict").asText()).isEqualTo("reject");
        assertThat(theirs.toString()).doesNotContain(mine);
        assertThat(explain(api, "GET", "https://a.test/").path("rule").asText()).isEqualTo(mine);
    }

    @Test
    void manyAtOnceAreAnsweredOrToldToComeAgainAndNoneWaitsForLong() throws Exception {
        List<ControlApi> accounts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            accounts.add(site.signUp());
        }
        List<Future<String>> answers = new ArrayList<>();
        try (ExecutorService callers = Executors.newFixedThreadPool(2 * accounts.size())) {
            for (int i = 0; i < 2 * accounts.size(); i++) {
                ControlApi account = accounts.get(i / 2);
                answers.add(callers.submit(() -> {
                    try {
                        return explain(account, "GET", "https://a.test/")
                                .path("verdict")
                                .asText();
                    } catch (AssertionError e) {
                        return e.getMessage().contains("overloaded") ? "overloaded" : e.getMessage();
                    }
                }));
            }
        }
        List<String> told = new ArrayList<>();
        for (Future<String> answer : answers) {
            told.add(answer.get());
        }
        assertThat(told).containsAnyOf("reject").allMatch(text -> text.equals("reject") || text.equals("overloaded"));
    }
}

package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/spec/policy-api.md, section "States and transitions": which policies of each kind a proxy gets, and in which order. */
@Timeout(60)
class PolicyDeliveryTest {

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();

    /** Kinds of policies. */
    enum Kind {
        SECRETS(
                "\"mode\": \"inject\", \"source\": {\"var\": \"KEY\"}, \"inject_config\": {\"header\": \"X-Key\"}, \"priority\": 1"),
        MCP("\"tools\": [{\"name\": \"t\"}], \"priority\": 1"),
        NETWORK("\"priority\": 1");

        private final String rest;

        Kind(String rest) {
            this.rest = rest;
        }

        String path() {
            return "/v1/policies/" + name().toLowerCase(Locale.ROOT);
        }

        /** A policy for the host {@code NAME.test}. */
        String body(String name, String more) {
            return "{\"name\": \"" + name + "\", \"rules\": [{\"host\": \"" + name + ".test\"}], " + rest + more + "}";
        }
    }

    private String made(String collection, String body) {
        Api.Reply reply = api.post(collection, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return collection + "/" + reply.data().path("id").asText();
    }

    private FeedStream proxy(String tags) throws IOException, InterruptedException {
        String token = api.post("/v1/proxies", "{\"name\": \"p\", \"tags\": " + tags + "}")
                .data()
                .path("token")
                .asText();
        return FeedStream.open(control.address(), token);
    }

    /** active: when false the policy is stored and not delivered; DELETE: proxies stop applying it. */
    @ParameterizedTest
    @EnumSource
    void aPolicyIsDeliveredWhileItIsActiveAndUntilItIsDeleted(Kind kind) throws Exception {
        String active = kind.body("a", ", \"active\": true");
        String inactive = kind.body("a", ", \"active\": false");
        String path = made(kind.path(), inactive);
        try (FeedStream proxy = proxy("[]")) {
            assertThat(proxy.take().text()).doesNotContain("a.test");

            api.put(path, active);
            assertThat(proxy.take().text()).contains("a.test");
            api.put(path, inactive);
            assertThat(proxy.take().text()).doesNotContain("a.test");
            assertThat(api.get(path).data().path("active").asBoolean(true)).isFalse();

            api.put(path, kind.body("a", ""));
            assertThat(proxy.take().text()).as("active by default").contains("a.test");
            api.delete(path);
            assertThat(proxy.take().text()).doesNotContain("a.test");
        }
    }

    /** match_tags: tags a proxy must carry; empty means every proxy. */
    @ParameterizedTest
    @EnumSource
    void aProxyGetsThePoliciesWhoseTagsItCarries(Kind kind) throws Exception {
        made(kind.path(), kind.body("every", ", \"match_tags\": []"));
        made(kind.path(), kind.body("one", ", \"match_tags\": [\"eu\"]"));
        made(kind.path(), kind.body("both", ", \"match_tags\": [\"prod\", \"eu\"]"));
        made(kind.path(), kind.body("more", ", \"match_tags\": [\"eu\", \"prod\", \"db\"]"));
        made(kind.path(), kind.body("case", ", \"match_tags\": [\"EU\"]"));
        try (FeedStream proxy = proxy("[\"eu\", \"prod\", \"other\"]")) {
            assertThat(proxy.take().text())
                    .contains("every.test", "one.test", "both.test")
                    .doesNotContain("more.test", "case.test");
        }
    }

    private static String prioritized(Kind kind, String name, int priority) {
        return kind.body(name, "").replace("\"priority\": 1", "\"priority\": " + priority);
    }

    /** priority: lower wins, then the older; the first entry that sets a header does. */
    @Test
    void secretPoliciesStandByPriorityThenTheOlderFirst() throws Exception {
        String older = made(Kind.SECRETS.path(), prioritized(Kind.SECRETS, "older", 5));
        made(Kind.SECRETS.path(), prioritized(Kind.SECRETS, "younger", 5));
        made(Kind.SECRETS.path(), prioritized(Kind.SECRETS, "first", -1));
        try (FeedStream proxy = proxy("[]")) {
            assertThat(secrets(proxy.take())).containsExactly("first.test", "older.test", "younger.test");

            api.put(older, prioritized(Kind.SECRETS, "older", 6));

            assertThat(secrets(proxy.take())).containsExactly("first.test", "younger.test", "older.test");
        }
    }

    private static List<String> secrets(FeedStream.Event snapshot) {
        return snapshot.pipeline().at("/transforms/1/config/secrets").findValuesAsText("host");
    }

    /** The same rules: tools are united, and of a tool that both list the matchers of the lower number hold. */
    @Test
    void ofTwoMcpPoliciesTheLowerPrioritySaysWhatAToolMay() throws Exception {
        String rules = "\"rules\": [{\"host\": \"mcp.test\"}]";
        String free = "{\"name\": \"free\", \"priority\": 5, " + rules + ", \"tools\": [{\"name\": \"t\"}]}";
        made(
                Kind.MCP.path(),
                "{\"name\": \"strict\", \"priority\": 7, " + rules
                        + ", \"tools\": [{\"name\": \"t\", \"matchers\": [{\"path\": \"a\", \"equals\": 1}]}, {\"name\": \"u\"}]}");
        String path = made(Kind.MCP.path(), free);
        try (FeedStream proxy = proxy("[]")) {
            JsonNode tools = proxy.take().pipeline().at("/mcp/servers/0/tools");
            assertThat(tools.findValuesAsText("name")).containsExactly("t", "u");
            assertThat(tools.at("/0").has("when")).isFalse();

            api.put(path, free.replace("\"priority\": 5", "\"priority\": 9"));

            JsonNode strict = proxy.take().pipeline().at("/mcp/servers/0/tools");
            assertThat(strict.findValuesAsText("name")).containsExactly("t", "u");
            assertThat(strict.at("/0/when/0/equals").asInt()).isEqualTo(1);
        }
    }
}

package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.egress.AllowedRule;
import dev.sallyport.control.egress.EgressPolicy;
import dev.sallyport.control.egress.EgressRule;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.JsonSize;
import dev.sallyport.control.policy.McpPolicyDraft;
import dev.sallyport.control.policy.NetworkPolicyDraft;
import dev.sallyport.control.policy.Policy;
import dev.sallyport.control.policy.PolicyDraft;
import dev.sallyport.control.policy.PolicySet;
import dev.sallyport.control.policy.SecretPolicyDraft;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.secret.StoredSecret;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/spec/policy-api.md, section "Resources and their fields", and docs/spec/decisions.md, sections 10, 15a, 16: what policies become. */
class CompilerTest {

    private final List<Policy<NetworkPolicyDraft>> network = new ArrayList<>();
    private final List<Policy<SecretPolicyDraft>> secrets = new ArrayList<>();
    private final List<Policy<McpPolicyDraft>> mcp = new ArrayList<>();
    private final List<AllowedRule> rules = new ArrayList<>();
    private EgressMode mode = EgressMode.ENFORCE;
    private SecretSet stored = new SecretSet(List.of(), List.of());

    private static <D extends PolicyDraft> Policy<D> policy(String id, Class<D> type, String json) {
        return new Policy<>(id, Json.read(json, type), 1, Instant.EPOCH, Instant.EPOCH);
    }

    private void network(String id, String rules, String... tags) {
        network.add(policy(
                id,
                NetworkPolicyDraft.class,
                "{\"name\": \"" + id + "\", \"priority\": 1, \"match_tags\": " + Json.text(tags) + ", \"rules\": "
                        + rules + "}"));
    }

    private void secret(String id, String more) {
        secrets.add(policy(
                id,
                SecretPolicyDraft.class,
                "{\"name\": \"" + id + "\", \"priority\": 1, \"match_tags\": [], " + more + "}"));
    }

    private void mcp(String id, String rules, String tools) {
        mcp.add(policy(
                id,
                McpPolicyDraft.class,
                "{\"name\": \"" + id + "\", \"priority\": 1, \"match_tags\": [], \"rules\": " + rules + ", \"tools\": "
                        + tools + "}"));
    }

    private static String host(String host) {
        return "[{\"host\": \"" + host + "\", \"paths\": [], \"methods\": [], \"ports\": []}]";
    }

    private Compiled compiled(String... tags) {
        return compiled(new Scope("org_1", List.of(tags)));
    }

    private Compiled compiled(Scope scope) {
        return new Compiler(new Account(
                        new PolicySet(network, secrets, mcp, List.of()), new EgressPolicy(mode), rules, stored))
                .compile(scope);
    }

    /** Sources of policies resolve for the first account, or for names that the operator lists; else it is reported. */
    @Test
    void aSourceThatMayNotBeReadIsWithheldAndReported() {
        String replace =
                "\"mode\": \"replace\", \"rules\": [], \"replace_config\": {\"proxy_value\": \"p\"}, \"source\": ";
        secret("spol_1", replace + "{\"var\": \"SHARED\"}");
        secret("spol_2", replace + "{\"var\": \"OPERATOR\"}");
        secret("spol_3", replace + "{\"type\": \"cloud_sm\", \"secret_id\": \"SHARED\"}");
        secret("spol_4", replace + "{\"type\": \"cloud_ssm\", \"name\": \"/listed\"}");

        Compiled all = compiled();
        Compiled some = compiled(
                new Scope("org_1", List.of(), PolicySources.listed(Set.of("env:SHARED", "cloud_ssm:/listed"))));

        assertThat(all.unread()).isEmpty();
        assertThat(all.json()).contains("OPERATOR");
        assertThat(some.json()).doesNotContain("OPERATOR", "cloud_sm\"");
        JsonNode entries = Json.read(some.json(), JsonNode.class).at("/transforms/1/config/secrets");
        assertThat(entries.findPath("var").asText()).isEqualTo("SHARED");
        assertThat(entries.at("/1/source/type").asText()).isEqualTo("control_plane");
        assertThat(entries.at("/1/source/ref").asText()).isEqualTo("withheld/spol_2");
        assertThat(entries.at("/1/source/optional").asBoolean()).isTrue();
        assertThat(entries.at("/1/replace").toString())
                .isEqualTo(entries.at("/0/replace").toString());
        assertThat(entries.at("/3/source/name").asText()).isEqualTo("/listed");
        assertThat(some.problems()).isEmpty();
        assertThat(some.unread()).extracting(Proxy.Problem::policyId).containsExactly("spol_2", "spol_3");
        assertThat(some.unread().getFirst().pointer()).isEqualTo("/transforms/1/config/secrets/1/source");
        assertThat(some.unread().getFirst().message()).contains("env:OPERATOR", "control.policy_sources");
    }

    /** Of what was stored before it was refused, what needs it alone is refused. */
    @Test
    void whatTheEngineCannotReadOfAPolicyIsLeftOutAloneAndReported() {
        String inject = "\"mode\": \"inject\", \"rules\": " + host("api.test")
                + ", \"inject_config\": {\"header\": \"X\"}, \"source\": ";
        secret("spol_1", inject + "{\"type\": \"cloud_sm\", \"secret_id\": \"s\", \"region\": \"EU-WEST-1\"}");
        secret("spol_2", inject + "{\"type\": \"cloud_ssm\", \"name\": \"a b\"}");
        secret("spol_3", inject + "{\"type\": \"cloud_ssm\", \"name\": \"p\", \"ttl\": \"2562048h\"}");
        secret("spol_4", inject + "{\"var\": \"GOOD\"}");
        String deep = "[".repeat(60) + "]".repeat(60);
        mcp(
                "mpol_1",
                "[]",
                "[{\"name\": \"good\", \"matchers\": []}, {\"name\": \"bad\", \"matchers\": [{\"path\": \"p\", \"equals\": "
                        + deep + "}]}]");

        JsonNode entries = json().at("/transforms/1/config/secrets");
        for (int i = 0; i < 3; i++) {
            assertThat(entries.at("/" + i + "/source/ref").asText()).isEqualTo("withheld/spol_" + (i + 1));
            assertThat(entries.at("/" + i + "/rules/0/host").asText()).isEqualTo("api.test");
        }
        assertThat(entries.at("/3/source/var").asText()).isEqualTo("GOOD");
        assertThat(json().at("/mcp/servers/0/tools").findValuesAsText("name")).containsExactly("good");
        assertThat(compiled().problems()).isEmpty();
        assertThat(compiled().told())
                .extracting(Proxy.Problem::policyId)
                .containsExactly("spol_1", "spol_2", "spol_3", "mpol_1");
        assertThat(compiled().told().getFirst().message()).contains("region", "expected: ");
    }

    private static AllowedRule rule(String id, @Nullable String host, @Nullable String cidr) {
        return AllowedRule.of(new EgressRule(id, null, host, cidr, null, Instant.EPOCH));
    }

    @Test
    void egressRulesJoinTheAllowlistWhateverTheTags() {
        network("npol_1", host("a.test"), "x");
        rules.add(rule("egr_1", "*.b.test", null));
        rules.add(rule("egr_2", null, "10.0.0.0/8"));

        assertThat(json().at("/transforms/0/config"))
                .isEqualTo(Json.read(
                        "{\"other_tcp\": true, \"rules\": [{\"host\": \"*.b.test\"}, {\"cidr\": \"10.0.0.0/8\"}]}",
                        JsonNode.class));
        assertThat(json("x").at("/transforms/0/config/rules").findValuesAsText("host"))
                .containsExactly("a.test", "*.b.test");
        assertThat(compiled("x").origin("/transforms/0/config/rules/2")).isEqualTo("egr_2");
    }

    @Test
    void underWarnTheAllowlistOnlyRecords() {
        mode = EgressMode.WARN;

        assertThat(json().at("/transforms/0/config/warn").asBoolean()).isTrue();
    }

    private static StoredSecret secret(String name, long version, String... hosts) {
        Secret secret = new Secret(
                "sec_" + name,
                name,
                name,
                List.of(hosts),
                Secret.placeholder(name),
                null,
                name.startsWith("PLAIN"),
                Instant.EPOCH,
                Instant.EPOCH);
        return new StoredSecret(secret, version, new byte[0]);
    }

    /** All stored secrets of an account are one instance, before that of secret policies, and scan all headers. */
    @Test
    void storedSecretsAreOneInstanceBeforeThatOfPolicies() {
        stored = new SecretSet(List.of(secret("A", 1, "*"), secret("AB", 1, "api.test", "*.b.test")), List.of("ABC"));
        secret(
                "spol_1",
                "\"rules\": [], \"mode\": \"inject\", \"source\": {\"var\": \"K\"}, \"inject_config\": {\"header\": \"X\"}");

        assertThat(json().at("/transforms/1")).isEqualTo(Json.read("""
                                {"name": "secrets", "config": {"secrets": [
                                  {"source": {"type": "control_plane", "ref": "org_1/sec_A/A", "optional": true},
                                   "replace": {"proxy_value": "SALLYPORT_PROXY_A"}},
                                  {"source": {"type": "control_plane", "ref": "org_1/sec_AB/AB", "optional": true},
                                   "replace": {"proxy_value": "SALLYPORT_PROXY_AB"},
                                   "rules": [{"host": "api.test"}, {"host": "?*.b.test"}]},
                                  {"source": {"type": "control_plane", "ref": "org_1/deleted", "optional": true},
                                   "replace": {"proxy_value": "SALLYPORT_PROXY_ABC"},
                                   "rules": [{"host": "invalid"}]}]}}""", JsonNode.class));
        assertThat(compiled().origin("/transforms/1/config/secrets/1/rules")).isEqualTo("sec_AB");
        assertThat(compiled().origin("/transforms/1/config/secrets/2")).isNull();
        assertThat(compiled().origin("/transforms/2/config/secrets/0/source")).isEqualTo("spol_1");
    }

    /** docs/spec/decisions.md, section 19: {@code allow_plaintext} is accepted in both APIs. */
    @Test
    void plaintextIsAllowedToTheEntriesThatSaySo() {
        stored = new SecretSet(List.of(secret("A", 1, "*"), secret("PLAIN", 1, "*")), List.of());
        String inject =
                "\"rules\": [], \"mode\": \"inject\", \"source\": {\"var\": \"K\"}, \"inject_config\": {\"header\": \"X\"}";
        secret("spol_1", inject);
        secret("spol_2", inject + ", \"allow_plaintext\": true");

        for (int transform = 1; transform <= 2; transform++) {
            JsonNode entries = json().at("/transforms/" + transform + "/config/secrets");
            assertThat(entries.at("/0").has("allow_plaintext")).isFalse();
            assertThat(entries.at("/1/allow_plaintext").asBoolean()).isTrue();
        }
    }

    /** The text of a pipeline does not change when only a value does; the hash of the snapshot does. */
    @Test
    void anotherValueIsAnotherSnapshotWithTheSamePipeline() {
        stored = new SecretSet(List.of(secret("A", 1, "*")), List.of());
        Compiled first = compiled();
        Credentials one = Credentials.of(
                "org_1", stored, new OpenValues(stored -> stored.sealed().clone()), List.of());
        stored = new SecretSet(List.of(secret("A", 2, "*")), List.of());
        Credentials two = Credentials.of(
                "org_1", stored, new OpenValues(stored -> stored.sealed().clone()), List.of());

        assertThat(compiled().json()).isEqualTo(first.json());
        assertThat(Snapshot.of(1, first, one).hash())
                .isEqualTo(Snapshot.of(9, first, one).hash())
                .isNotEqualTo(Snapshot.of(1, first, two).hash())
                .isNotEqualTo(first.hash());
        assertThat(Snapshot.of(1, first, Credentials.NONE).hash()).isEqualTo(first.hash());
        assertThat(two.changedSince(one))
                .extracting(Credentials.Change::reference)
                .containsExactly("org_1/sec_A/A");
        assertThat(two.changedSince(two)).isEmpty();
        assertThat(Credentials.NONE.goneSince(one)).containsExactly("org_1/sec_A/A");
    }

    private JsonNode json(String... tags) {
        return Json.read(compiled(tags).json(), JsonNode.class);
    }

    @Test
    void withoutPoliciesEverythingIsRefused() {
        assertThat(compiled().json())
                .isEqualTo("{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"rules\":[]}}]}");
    }

    @Test
    void networkPoliciesBecomeTheAllowlistWithAllFieldsOfTheirRules() {
        network(
                "npol_1",
                "[{\"host\": \"a.test\", \"paths\": [\"/v1/*\"], \"methods\": [\"GET\"], \"ports\": [8443], \"scheme\": \"https\"}]");
        network("npol_2", "[{\"cidr\": \"10.0.0.0/8\", \"paths\": [], \"methods\": [], \"ports\": []}]");

        assertThat(json().at("/transforms/0/config/rules").toString())
                .isEqualTo(
                        "[{\"host\":\"a.test\",\"methods\":[\"GET\"],\"paths\":[\"/v1/*\"],\"ports\":[8443],\"scheme\":\"https\"},{\"cidr\":\"10.0.0.0/8\"}]");
        assertThat(compiled().origin("/transforms/0/config/rules/1/cidr")).isEqualTo("npol_2");
    }

    /** match_tags: a proxy must carry every tag; empty means every proxy. */
    @Test
    void aProxyMustCarryEveryTag() {
        network("npol_all", host("all.test"));
        network("npol_both", host("both.test"), "eu", "prod");

        assertThat(json("eu").toString()).contains("all.test").doesNotContain("both.test");
        assertThat(json("prod", "eu", "x").toString()).contains("all.test", "both.test");
    }

    @Test
    void injectModeSetsAHeaderOrAParameter() {
        secret(
                "spol_1",
                "\"mode\": \"inject\", \"rules\": " + host("api.test")
                        + ", \"source\": {\"type\": \"env\", \"var\": \"KEY\", \"ttl\": \"5m\", \"json_key\": \"k\"}, \"inject_config\": {\"header\": \"Authorization\", \"formatter\": \"Bearer {{.Value}}\"}");
        secret(
                "spol_2",
                "\"mode\": \"inject\", \"rules\": [], \"source\": {\"type\": \"cloud_sm\", \"secret_id\": \"s\", \"region\": \"eu\", \"ttl\": \"5m\"}, \"inject_config\": {\"query_param\": \"key\"}");

        assertThat(json().at("/transforms/1/config/secrets").toString())
                .isEqualTo(
                        "[{\"source\":{\"type\":\"env\",\"var\":\"KEY\",\"json_key\":\"k\",\"optional\":true},\"inject\":{\"header\":\"Authorization\",\"formatter\":\"Bearer {{.Value}}\"},\"rules\":[{\"host\":\"api.test\"}]},"
                                + "{\"source\":{\"type\":\"cloud_sm\",\"secret_id\":\"s\",\"region\":\"eu\",\"ttl\":\"5m\",\"optional\":true},\"inject\":{\"query_param\":\"key\"}}]");
        assertThat(compiled().origin("/transforms/1/config/secrets/1/source")).isEqualTo("spol_2");
    }

    /** docs/spec/decisions.md, section 6: replace mode is path only. */
    @Test
    void replaceModeSwapsAPlaceholderInThePathAlone() {
        secret(
                "spol_1",
                "\"mode\": \"replace\", \"rules\": [], \"source\": {\"type\": \"cloud_ssm\", \"name\": \"/p\", \"with_decryption\": false}, \"replace_config\": {\"proxy_value\": \"bot\"}");

        assertThat(json().at("/transforms/1/config/secrets/0").toString())
                .isEqualTo(
                        "{\"source\":{\"type\":\"cloud_ssm\",\"name\":\"/p\",\"with_decryption\":false,\"optional\":true},\"replace\":{\"proxy_value\":\"bot\",\"match_path\":true,\"scan_headers\":false}}");
    }

    @Test
    void mcpPoliciesBecomeServersWithConditions() {
        mcp(
                "mpol_1",
                "[{\"host\": \"mcp.test\", \"paths\": [\"/mcp\"], \"methods\": [\"POST\"], \"ports\": []}]",
                "[{\"name\": \"search\", \"matchers\": []}, {\"name\": \"read\", \"matchers\": [{\"path\": \"a.b\", \"equals\": null}, {\"path\": \"c\", \"in\": [1, \"x\"]}, {\"path\": \"d\", \"matches\": \"^x\"}]}]");

        assertThat(json().at("/mcp/servers").toString())
                .isEqualTo(
                        "[{\"name\":\"mpol_1\",\"rules\":[{\"host\":\"mcp.test\",\"paths\":[\"/mcp\"]}],\"tools\":[{\"name\":\"search\"},{\"name\":\"read\",\"when\":[{\"path\":\"a.b\",\"equals\":null},{\"path\":\"c\",\"in\":[1,\"x\"]},{\"path\":\"d\",\"matches\":\"^x\"}]}]}]");
    }

    /** docs/spec/decisions.md, section 10: the lower priority wins for a tool that both list, tools are otherwise united. */
    @Test
    void mcpPoliciesForTheSameTrafficAreUnitedAndTheNarrowerStandsFirst() {
        mcp("mpol_a", host("*.test"), "[{\"name\": \"t\", \"matchers\": []}]");
        mcp(
                "mpol_b",
                host("mcp.test"),
                "[{\"name\": \"t\", \"matchers\": [{\"path\": \"x\", \"equals\": 1}]}, {\"name\": \"u\", \"matchers\": []}]");

        assertThat(json().at("/mcp/servers").toString())
                .isEqualTo(
                        "[{\"name\":\"mpol_a+mpol_b\",\"rules\":[{\"host\":\"mcp.test\"}],\"tools\":[{\"name\":\"t\"},{\"name\":\"u\"}]},"
                                + "{\"name\":\"mpol_a\",\"rules\":[{\"host\":\"*.test\"}],\"tools\":[{\"name\":\"t\"}]}]");
    }

    /** docs/spec/decisions.md, section 15a: an MCP policy without rules is at every destination, where other JSON passes. */
    @Test
    void anMcpPolicyWithoutRulesIsEverywhereAndLetsOtherJsonPass() {
        mcp("mpol_a", "[]", "[]");
        mcp("mpol_b", host("mcp.test"), "[]");

        JsonNode servers = json().at("/mcp/servers");
        assertThat(servers.at("/0/name").asText()).isEqualTo("mpol_a+mpol_b");
        assertThat(servers.at("/0/pass_other_json").isMissingNode()).isTrue();
        assertThat(servers.at("/1/rules/0/host").asText()).isEqualTo("*");
        assertThat(servers.at("/1/pass_other_json").asBoolean()).isTrue();
    }

    @Test
    void equalPoliciesGiveEqualTexts() {
        network("npol_1", host("a.test"));

        assertThat(compiled().hash()).isEqualTo(compiled().hash());
        assertThat(compiled("x").hash()).isEqualTo(compiled().hash());
    }

    @Test
    void aPolicyThatCannotBeReadRefusesEverythingAndIsNamed() {
        network("npol_1", host("a.test"));

        Compiled refusing = new Compiler(new Account(
                        new PolicySet(network, secrets, mcp, List.of("mpol_x")),
                        new EgressPolicy(EgressMode.WARN),
                        List.of(),
                        stored))
                .compile(new Scope("org_1", List.of()));

        assertThat(refusing.json()).doesNotContain("a.test", "warn");
        assertThat(refusing.problems()).extracting(Proxy.Problem::policyId).containsExactly("mpol_x");
    }

    /** A size budget is checked before publishing. */
    @Test
    void aPipelineBeyondTheBudgetRefusesEverything() {
        String path = "/" + "p".repeat(Compiler.BUDGET / 16);
        String rule = "{\"host\": \"a.test\", \"paths\": [\"" + path + "\"], \"methods\": [], \"ports\": []}";
        for (int i = 0; i < 15; i++) {
            network("npol_" + i, "[" + rule + "]");
        }
        assertThat(compiled().problems()).isEmpty();

        network("npol_more", "[" + rule + "]");

        assertThat(json().at("/transforms/0/config/rules")).isEmpty();
        assertThat(compiled().problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("expected: at most " + Compiler.BUDGET));
    }

    @Test
    void aPipelineOfMoreValuesThanTheEngineReadsRefusesEverything() {
        String rule = "{\"host\": \"a.test\", \"paths\": [], \"methods\": [], \"ports\": ["
                + "1,".repeat(Compiler.NODES / 2) + "1]}";
        network("npol_1", "[" + rule + "]");
        assertThat(compiled().problems()).isEmpty();

        network("npol_2", "[" + rule + "]");

        assertRefusing("too many values");
    }

    @Test
    void egressRulesOfMoreValuesThanTheEngineReadsRefuseEverything() {
        int without = 1 + JsonSize.nodes(compiled().json());
        AllowedRule rule = rule("egr_1", "a.test", null);
        rules.addAll(Collections.nCopies((Compiler.NODES - without + 1) / 3, rule)); // an object, its key and its value
        assertThat(compiled().problems()).isEmpty();

        rules.add(rule);

        assertRefusing("too many values");
    }

    private static String rules(int count, IntFunction<String> json) {
        return IntStream.range(0, count).mapToObj(json).collect(Collectors.joining(",", "[", "]"));
    }

    private static String place(String host, String... paths) {
        return "{\"host\": \"" + host + "\", \"paths\": " + Json.text(paths) + ", \"methods\": [], \"ports\": []}";
    }

    private void assertRefusing(String problem) {
        Compiled refusing = compiled();
        assertThat(refusing.json()).isEqualTo("{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"rules\":[]}}]}");
        assertThat(refusing.problems())
                .singleElement()
                .satisfies(found -> assertThat(found.message()).contains(problem, "expected: "));
    }

    /** One thread compiles for all organizations. */
    @Test
    @Timeout(15)
    @Tag("long")
    void asManyMcpRulesAsThereMayBeAreComparedSoon() {
        for (int policy = 0; policy < 5; policy++) {
            String place = "p" + policy + "-";
            mcp("mpol_" + place, rules(500, i -> place("one.test", "/" + place + i)), "[]");
            mcp("mpol_h" + place, rules(499, i -> place(place + i + ".test")), "[]");
        }
        mcp("mpol_wide", rules(1, i -> place("*.test")), "[]");

        JsonNode servers = json().at("/mcp/servers");

        assertThat(servers).hasSize(11);
        assertThat(servers.at("/0/name").asText()).isEqualTo("mpol_p0-+mpol_wide");
        assertThat(servers.at("/10/name").asText()).isEqualTo("mpol_wide");
    }

    @Test
    void moreMcpRulesThanThereMayBeRefuseEverything() {
        network("npol_1", host("a.test"));
        mcp("mpol_1", rules(McpServers.MOST - 1, i -> place("h" + i + ".test")), "[]");
        mcp("mpol_2", rules(1, i -> place("x.test", "/a")), "[]");
        assertThat(compiled().problems()).isEmpty();

        mcp.removeLast();
        mcp("mpol_2", rules(1, i -> place("x.test", "/a", "/b")), "[]");

        assertRefusing("MCP policies have too many rules, paths and ports");
    }

    @Test
    @Timeout(60)
    @Tag("long")
    void mcpRulesThatAreComparedForTooLongRefuseEverything() {
        mcp("mpol_1", rules(500, i -> place("x.test", "/" + i + "*a".repeat(900))), "[]");
        mcp("mpol_2", rules(500, i -> place("x.test", "/" + i + "*a".repeat(900) + "b")), "[]");

        assertRefusing("takes too long");
    }

    /** They are in each narrower server: these alone would be 800 MiB. */
    @Test
    @Timeout(60)
    void mcpPoliciesWithoutRulesAreNotCopiedBeyondTheBudget() {
        everywhereAnd(400);

        assertRefusing("a pipeline that is too long");
    }

    @Test
    @Timeout(60)
    void mcpPoliciesThatMeetListSoManyToolsAtMost() {
        everywhereAnd(700);

        assertRefusing("list too many tools");
    }

    private void everywhereAnd(int narrower) {
        String tools = rules(100, i -> "{\"name\": \"t" + i + "-" + "x".repeat(1000) + "\", \"matchers\": []}");
        for (int i = 0; i < 20; i++) {
            mcp("mpol_all" + i, "[]", tools.replace("-x", "-" + i + "x"));
        }
        for (int i = 0; i < narrower; i++) {
            mcp("mpol_" + i, host("h" + i + ".test"), "[]");
        }
    }
}

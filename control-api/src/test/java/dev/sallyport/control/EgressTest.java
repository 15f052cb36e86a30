package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/egress/policy} and {@code /v1/egress/rules}. */
class EgressTest {

    private static final String POLICY = "/v1/egress/policy";
    private static final String RULES = "/v1/egress/rules";

    private final TestControl control = TestControl.shared();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    private JsonNode made(String body) {
        Api.Reply reply = api.post(RULES, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json();
    }

    private List<String> hosts(String query) {
        List<String> hosts = new ArrayList<>();
        api.get(RULES + query)
                .data()
                .forEach(rule -> hosts.add(rule.path("host").asText()));
        return hosts;
    }

    @Test
    void aNewAccountEnforcesAndHasNoRules() {
        assertThat(api.get(POLICY).json()).isEqualTo(Api.tree("{\"mode\": \"enforce\"}"));
        assertThat(api.get(RULES).json()).isEqualTo(Api.tree("{\"data\": [], \"has_more\": false, \"cursor\": null}"));
    }

    @Test
    void theModeIsReplaced() {
        Api.Reply reply = api.put(POLICY, "{\"mode\": \"warn\"}");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json()).isEqualTo(Api.tree("{\"mode\": \"warn\"}"));
        assertThat(Long.parseLong(reply.header("Sallyport-Revision"))).isPositive();
        assertThat(api.get(POLICY).json()).isEqualTo(Api.tree("{\"mode\": \"warn\"}"));
        assertThat(control.newAccount().get(POLICY).json()).isEqualTo(Api.tree("{\"mode\": \"enforce\"}"));
        assertThat(api.put(POLICY, "{\"mode\": \"enforce\"}").status()).isEqualTo(200);
        assertThat(api.get(POLICY).json()).isEqualTo(Api.tree("{\"mode\": \"enforce\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}", "{\"mode\": null}", "{\"mode\": \"ENFORCE\"}", "{\"mode\": \"off\"}", "{\"mode\": 1}"})
    void anotherModeIs422(String body) {
        Api.Reply reply = api.put(POLICY, body);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly("mode");
    }

    @Test
    void aRuleIsReturnedAsItWasSentWithAllKeys() {
        JsonNode rule = made("{\"host\": \"*.Example.com\"}");

        assertThat(rule.path("id").asText()).matches("egr_[0-9a-z]{26}");
        assertThat(rule.path("host").asText()).isEqualTo("*.Example.com");
        assertThat(rule.propertyStream().map(Map.Entry::getKey))
                .containsExactly("id", "name", "host", "cidr", "comment", "created_at");
        assertThat(rule.path("name").isNull()).isTrue();
        assertThat(rule.path("cidr").isNull()).isTrue();
        assertThat(made("{\"cidr\": \"10.0.0.0/8\", \"name\": \"n\", \"comment\": \"c\"}")
                        .path("cidr")
                        .asText())
                .isEqualTo("10.0.0.0/8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"host\": \"a.test\", \"cidr\": \"10.0.0.0/8\"}",
                "{\"host\": null, \"cidr\": null, \"name\": \"n\"}"
            })
    void bothOrNeitherOfHostAndCidrIs422(String body) {
        assertThat(api.post(RULES, body).error()).isEqualTo("422 validation_error");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.test", "*", "*.a.test", "api-*.a.test", "?.a.test", "localhost", "192.0.2.1", "[::1]"})
    void hostsAddressesAndPatternsAreAccepted(String host) {
        assertThat(made("{\"host\": \"" + host + "\"}").path("host").asText()).isEqualTo(host);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://a.test", "a.test:443", "a.test/x", "a..test", "**.test", "10.*.0.1", "a b"})
    void aMalformedHostIs422(String host) {
        assertThat(api.post(RULES, "{\"host\": \"" + host + "\"}").fields()).containsExactly("host");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.1/8", "10.0.0.0/33", "a.test", "10.0.0/8", "2001:db8::1/32"})
    void aMalformedRangeOrOneWithHostBitsIs422(String cidr) {
        assertThat(api.post(RULES, "{\"cidr\": \"" + cidr + "\"}").fields()).containsExactly("cidr");
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.1", "2001:db8::/32", "10.0.0.0/8", "0.0.0.0/0"})
    void rangesAndAddressesAreAccepted(String cidr) {
        assertThat(made("{\"cidr\": \"" + cidr + "\"}").path("cidr").asText()).isEqualTo(cidr);
    }

    @Test
    void aNameHas64CharactersAtMostAndACommentHas1024() {
        String longest = "{\"name\": \"" + "ä".repeat(64) + "\", \"host\": \"a.test\", \"comment\": \""
                + "ä".repeat(1024) + "\"}";
        String longer = "{\"name\": \"" + "n".repeat(65) + "\", \"host\": \"a.test\", \"comment\": \""
                + "c".repeat(1025) + "\"}";

        JsonNode rule = made(longest);

        assertThat(rule.path("name").asText()).isEqualTo("ä".repeat(64));
        assertThat(rule.path("comment").asText()).isEqualTo("ä".repeat(1024));
        assertThat(api.post(RULES, longer).fields()).containsExactlyInAnyOrder("name", "comment");
    }

    @Test
    void whatTheServerOwnsIsIgnoredAndWhatIsUnknownIs422() {
        JsonNode rule = made("{\"host\": \"a.test\", \"id\": \"egr_x\", \"created_at\": \"then\"}");

        assertThat(rule.path("id").asText()).matches("egr_[0-9a-z]{26}");
        assertThat(rule.path("created_at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(api.post(RULES, "{\"host\": \"a.test\", \"updated_at\": 1}").fields())
                .containsExactly("updated_at");
        assertThat(api.put(POLICY, "{\"mode\": \"warn\", \"rules\": []}").fields())
                .containsExactly("rules");
    }

    @Test
    void aProblemIsToldBeforeAConflict() {
        made("{\"name\": \"n\", \"host\": \"a.test\"}");

        assertThat(api.post(RULES, "{\"name\": \"n\"}").error()).isEqualTo("422 validation_error");
    }

    @Test
    void allProblemsAreToldAtOnce() {
        Api.Reply reply = api.post(
                RULES,
                "{\"name\": \"\", \"host\": \"http://a\", \"comment\": \"" + "c".repeat(1025) + "\", \"port\": 1}");

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactlyInAnyOrder("name", "host", "comment", "port");
    }

    @Test
    void namesAreOptionalUniqueInTheAccountAndFreeAfterDelete() {
        String id =
                made("{\"name\": \"Git Hub\", \"host\": \"a.test\"}").path("id").asText();
        made("{\"host\": \"a.test\"}");
        made("{\"host\": \"a.test\"}");

        assertThat(api.post(RULES, "{\"name\": \"Git Hub\", \"host\": \"b.test\"}")
                        .error())
                .isEqualTo("409 egress_rule_name_taken");
        assertThat(control.newAccount()
                        .post(RULES, "{\"name\": \"Git Hub\", \"host\": \"b.test\"}")
                        .status())
                .isEqualTo(201);
        assertThat(api.delete(RULES + "/" + id).status()).isEqualTo(204);
        made("{\"name\": \"Git Hub\", \"host\": \"b.test\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"egr_00000000000000000000000000", "egr_x", "sec_00000000000000000000000000", "x"})
    void deleteOfAnUnknownRuleIs404(String id) {
        assertThat(api.delete(RULES + "/" + id).error()).isEqualTo("404 egress_rule_not_found");
    }

    @Test
    void theFiltersAreExactAndTheHostIsWithoutCase() {
        made("{\"name\": \"one\", \"host\": \"*.A.test\"}");
        made("{\"name\": \"two\", \"cidr\": \"10.0.0.0/8\"}");
        made("{\"host\": \"a.test\"}");

        assertThat(hosts("?host=*.a.TEST")).containsExactly("*.A.test");
        assertThat(hosts("?host=test")).isEmpty();
        assertThat(hosts("?host=")).isEmpty();
        assertThat(api.get(RULES + "?cidr=10.0.0.0%2F8").data()).hasSize(1);
        assertThat(api.get(RULES + "?cidr=10.0.0.0%2F9").data()).isEmpty();
        assertThat(hosts("?name=one")).containsExactly("*.A.test");
        assertThat(hosts("?name=One")).isEmpty();
        assertThat(hosts("?name=one&host=a.test")).isEmpty();
    }

    @Test
    void theListIsSortedByTimeOrByHost() {
        made("{\"host\": \"b.test\"}");
        made("{\"host\": \"C.test\"}");
        made("{\"host\": \"a.test\"}");

        assertThat(hosts("")).containsExactly("a.test", "C.test", "b.test");
        assertThat(hosts("?order=asc")).containsExactly("b.test", "C.test", "a.test");
        assertThat(hosts("?sort=host&order=asc")).containsExactly("a.test", "b.test", "C.test");
        assertThat(hosts("?sort=host")).containsExactly("C.test", "b.test", "a.test");
        assertThat(api.get(RULES + "?sort=name").fields()).containsExactly("sort");
    }

    @Test
    void bySortOfHostRangesComeBeforeAllHostsOnEveryPage() {
        made("{\"host\": \"a.test\"}");
        made("{\"cidr\": \"10.0.0.0/8\"}");
        made("{\"host\": \"*.a.test\"}");
        made("{\"cidr\": \"192.0.2.0/24\"}");

        assertThat(hosts("?sort=host&order=asc")).containsExactly("null", "null", "*.a.test", "a.test");
        JsonNode first = api.get(RULES + "?sort=host&order=asc&limit=1").json();
        assertThat(first.at("/data/0/cidr").asText()).isEqualTo("10.0.0.0/8");
        JsonNode second = api.get(RULES + "?sort=host&order=asc&limit=2&cursor="
                        + first.path("cursor").asText())
                .json();
        assertThat(second.at("/data/0/cidr").asText()).isEqualTo("192.0.2.0/24");
        assertThat(second.at("/data/1/host").asText()).isEqualTo("*.a.test");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sort=host&order=asc", "sort=host", "sort=created_at&order=asc", "", "sort=host&host=same.test"})
    void pagesHaveEveryRuleOnceWhateverIsMadeAndDeletedMeanwhile(String query) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            expected.add(made("{\"host\": \"same.test\"}").path("id").asText());
        }
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = api.get(RULES + "?limit=2&" + query + (cursor.isEmpty() ? "" : "&cursor=" + cursor))
                    .json();
            page.path("data").forEach(rule -> seen.add(rule.path("id").asText()));
            cursor = page.path("cursor").asText("");
            assertThat(page.path("has_more").asBoolean()).isEqualTo(!cursor.isEmpty());
            api.delete(RULES + "/" + seen.getLast()); // the row that the cursor names
        } while (!cursor.isEmpty() && !cursor.equals("null"));

        assertThat(seen).containsExactlyInAnyOrderElementsOf(expected).hasSize(7);
    }

    @Test
    void theLastPageThatIsExactlyFullSaysThatItIsTheLast() {
        made("{\"host\": \"a.test\"}");
        made("{\"host\": \"b.test\"}");

        JsonNode page = api.get(RULES + "?limit=2").json();

        assertThat(page.path("has_more").asBoolean(true)).isFalse();
        assertThat(page.path("cursor").isNull()).isTrue();
    }

    @Test
    void aCursorIsBoundToSortOrderAndFilters() {
        for (int i = 0; i < 3; i++) {
            made("{\"host\": \"a.test\"}");
        }
        String cursor =
                api.get(RULES + "?limit=1&sort=host").json().path("cursor").asText();

        for (String other :
                List.of("", "sort=created_at", "sort=host&order=asc", "sort=host&host=a.test", "sort=host&name=x")) {
            assertThat(api.get(RULES + "?" + other + "&cursor=" + cursor).fields())
                    .as(other)
                    .containsExactly("cursor");
        }
        assertThat(api.get(RULES + "?sort=host&limit=200&cursor=" + cursor).data())
                .hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit=0", "limit=201", "limit=x", "order=up", "sort=cidr", "cursor=x", "limit=1&limit=2"})
    void badParametersAre422(String query) {
        assertThat(api.get(RULES + "?" + query).error()).isEqualTo("422 validation_error");
    }

    @Test
    void aPageHas50RulesUnlessTheLimitSaysElse() {
        for (int i = 0; i < 51; i++) {
            made("{\"host\": \"a.test\"}");
        }

        assertThat(api.get(RULES).data()).hasSize(50);
        assertThat(api.get(RULES + "?limit=200").data()).hasSize(51);
    }

    @Test
    void aRuleIsMadeOnceForAnIdempotencyKey() {
        Api keyed = api.withHeader("Idempotency-Key", "k");
        String first = keyed.post(RULES, "{\"host\": \"a.test\"}").text();

        Api.Reply again = keyed.post(RULES, "{\"host\": \"a.test\"}");

        assertThat(again.text()).isEqualTo(first);
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(api.get(RULES).data()).hasSize(1);
    }

    @Test
    void aChangeWaitsForProxiesWhenAsked() {
        Api.Reply made = api.post(RULES + "?wait=applied&timeout=1s", "{\"host\": \"a.test\"}");
        String rule = RULES + "/" + made.json().path("id").asText();

        assertThat(made.header("Sallyport-Applied")).isEqualTo("true");
        assertThat(api.put(POLICY + "?wait=applied", "{\"mode\": \"warn\"}").header("Sallyport-Applied"))
                .isEqualTo("true");
        assertThat(api.delete(RULES + "/x?wait=never").error()).isEqualTo("404 egress_rule_not_found");
        assertThat(api.delete(rule + "?wait=never").fields()).containsExactly("wait");
        assertThat(api.delete(rule + "?wait=applied").header("Sallyport-Applied"))
                .isEqualTo("true");
    }

    @Test
    void changesStandInTheAdministrativeRecord() {
        String id = made("{\"name\": \"n\", \"host\": \"a.test\"}").path("id").asText();
        api.delete(RULES + "/" + id);
        api.put(POLICY, "{\"mode\": \"warn\"}");

        JsonNode rules =
                api.get("/v1/audit/admin?resource=egress_rule&order=asc").data();
        JsonNode policies = api.get("/v1/audit/admin?resource=egress_policy").data();

        assertThat(rules.findValuesAsText("action")).containsExactly("create", "delete");
        assertThat(rules.at("/0/after/host").asText()).isEqualTo("a.test");
        assertThat(rules.at("/1/resource_id").asText()).isEqualTo(id);
        assertThat(policies.at("/0/before/mode").asText()).isEqualTo("enforce");
        assertThat(policies.at("/0/after/mode").asText()).isEqualTo("warn");
    }
}

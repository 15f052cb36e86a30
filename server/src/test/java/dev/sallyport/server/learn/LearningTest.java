package dev.sallyport.server.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sallyport.server.Failure;
import dev.sallyport.server.plugin.Plugins;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 13: what {@code learn} writes, by rule. */
class LearningTest {

    private static Plugins plugins;

    @BeforeAll
    static void load() throws Exception {
        plugins = Plugins.load(null);
    }

    @AfterAll
    static void unload() {
        plugins.close();
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({
        "6f1c2a34-9b7d-4e21-8c0a-1234567890ab, a UUID",
        "6F1C2A34-9B7D-4E21-8C0A-1234567890AB, a UUID",
        "1234, a number",
        "20260102, a number",
        "deadbee, hexadecimal",
        "9F86D081884C7D659A2FEAA0C55AD015, hexadecimal",
        "1.2, a version",
        "v1.2.3, a version",
        "2.0.0-rc.1+build.5, a version",
        "1.0rc1, a version"
    })
    void a_segment_that_becomes_a_wildcard(String segment, String what) throws Exception {
        Learning.Result learned =
                learn(new AuditLog().allow("GET", "api.example.com", "/items/" + segment + "/parts"), false);

        assertThat(learned.policy()).contains("            - /items/*/parts # * is " + what);
    }

    @ParameterizedTest
    @ValueSource(strings = {"123", "abcdef", "v1", "users", "beefy12", "left-pad-1.3.0.tgz", "6f1c2a34-9b7d"})
    void a_segment_that_stays(String segment) throws Exception {
        Learning.Result learned =
                learn(new AuditLog().allow("GET", "api.example.com", "/items/" + segment + "/parts"), false);

        assertThat(learned.policy()).contains("            - /items/" + segment + "/parts");
    }

    @Test
    void over_twenty_that_vary_become_a_wildcard_and_twenty_do_not() throws Exception {
        AuditLog twenty = new AuditLog();
        AuditLog more = new AuditLog();
        for (int i = 0; i < 21; i++) {
            more.allow("GET", "api.example.com", "/users/user-" + i + "/keys");
            if (i < 20) {
                twenty.allow("GET", "api.example.com", "/users/user-" + i + "/keys");
            }
        }

        assertThat(learn(twenty, false).policy()).hasSize(7 + 20).contains("            - /users/user-7/keys");
        assertThat(learn(more, false).policy())
                .hasSize(7 + 1)
                .contains("            - /users/*/keys # * is one of many");
    }

    @Test
    void a_wildcard_in_the_last_place_covers_what_lies_below_and_a_comment_says_so() throws Exception {
        Learning.Result learned = learn(
                new AuditLog()
                        .allow("GET", "api.example.com", "/users/1234")
                        .allow("GET", "api.example.com", "/users/5678/keys"),
                false);

        assertThat(learned.policy())
                .endsWith(
                        "        - host: api.example.com",
                        "          methods: [GET]",
                        "          paths:",
                        "            - /users/* # * is a number; covers what lies below too");
    }

    @Test
    void methods_are_allowed_where_they_were_seen_and_nowhere_else() throws Exception {
        Learning.Result learned = learn(
                new AuditLog()
                        .allow("GET", "api.example.com", "/b")
                        .allow("post", "api.example.com", "/b?x=1")
                        .allow("GET", "api.example.com", "/a")
                        .allow("GET", "api.example.com", "/c"),
                false);

        assertThat(learned.policy())
                .containsExactly(
                        "transforms:",
                        "  - name: allowlist",
                        "    config:",
                        "      rules:",
                        "        - host: api.example.com",
                        "          methods: [GET]",
                        "          paths:",
                        "            - /a",
                        "            - /c",
                        "        - host: api.example.com",
                        "          methods: [GET, POST]",
                        "          paths:",
                        "            - /b");
    }

    @Test
    void addresses_ports_and_hosts_of_which_nothing_else_was_seen() throws Exception {
        Learning.Result learned = learn(
                new AuditLog()
                        .allow("GET", "192.0.2.7", "/")
                        .add(record -> {}, "GET", "api.example.com", 9443, "/x", "allow")
                        .add(record -> {}, "GET", "api.example.com", 8443, "/x", "allow")
                        .add(record -> {}, "GET", "2001:db8::1", 80, "*", "allow")
                        .add(
                                record -> record.withObject("audit").put("mode", "sni-only"),
                                "",
                                "pinned.example.com",
                                443,
                                "",
                                "allow"),
                false);

        assertThat(learned.policy())
                .containsExactly(
                        "transforms:",
                        "  - name: allowlist",
                        "    config:",
                        "      domains:",
                        "        - pinned.example.com # nothing but the host was seen",
                        "      rules:",
                        "        - cidr: \"192.0.2.7\"",
                        "          methods: [GET]",
                        "          paths:",
                        "            - /",
                        "        - cidr: \"2001:db8::1\"",
                        "          methods: [GET]",
                        "          paths:",
                        "            - /* # every path",
                        "        - host: api.example.com",
                        "          ports: [8443, 9443]",
                        "          methods: [GET]",
                        "          paths:",
                        "            - /x");
    }

    @Test
    void characters_that_no_pattern_holds() throws Exception {
        Learning.Result learned = learn(
                new AuditLog()
                        .allow("GET", "npm.example.com", "/@scope%2fname")
                        .allow("GET", "api.example.com", "/a%3Fb%20c/\u00fc")
                        .allow("GET", "api.example.com", "/%C3%BC"),
                false);

        assertThat(learned.policy())
                .contains(
                        "            - /@scope*name # * is an encoded slash",
                        "            - /@scope/name",
                        "            - \"/\u00fc\"")
                .as("no rule is asked about a path with an octet that is no UTF-8")
                .noneMatch(line -> line.contains("c/"));
    }

    @Test
    void a_rule_for_every_port_gives_one_verdict_for_both_readings_of_what_another_port_saw() throws Exception {
        Learning.Result learned = learn(
                new AuditLog()
                        .allow("GET", "api.example.com", "/4711/a")
                        .add(record -> {}, "GET", "api.example.com", 8443, "/x%2Fy/a", "allow"),
                false);

        assertThat(learned.policy())
                .containsExactly(
                        "transforms:",
                        "  - name: allowlist",
                        "    config:",
                        "      rules:",
                        "        - host: api.example.com",
                        "          methods: [GET]",
                        "          paths:",
                        "            - /*/a # * is a number",
                        "            - /x/y/a");
    }

    @Test
    void only_what_was_let_through_unless_told_otherwise() throws Exception {
        AuditLog log = new AuditLog()
                .allow("GET", "api.example.com", "/a")
                .add(
                        AuditLog.traced("allowlist", "allow", "action", "warn"),
                        "GET",
                        "warned.example.com",
                        443,
                        "/w",
                        "allow")
                .refused("GET", "refused.example.com", "/r")
                .add(
                        record -> record.put("rejected_by", "allowlist"),
                        "CONNECT",
                        "tunnel.example.com",
                        443,
                        "",
                        "reject")
                .add(record -> record.put("rejected_by", "judge"), "GET", "judged.example.com", 443, "/j", "reject")
                .add(record -> record.put("error", "bad_request: x"), "GET", "bad.example.com", 443, "/b", "reject")
                .add(
                        record -> record.put("stubbed_by", "sallyport"),
                        "GET",
                        "sallyport.internal",
                        80,
                        "/env.sh",
                        "stub")
                .add(
                        AuditLog.traced("allowlist", "allow", "", ""),
                        "GET",
                        "left.example.com",
                        443,
                        "/l",
                        "client_cancel")
                .add(record -> record.put("error", "upstream_timeout"), "GET", "slow.example.com", 443, "/s", "error")
                .add(record -> record.put("error", "process_ended: x"), "GET", "killed.example.com", 443, "/k", "error")
                .add(record -> record.put("error", "upstream_denied"), "GET", "denied.example.com", 443, "/d", "error")
                .add(record -> {}, "", "nothing.example.com", 443, "", "client_cancel")
                .line("{\"msg\":\"request\",\"audit\":{")
                .line("no JSON");

        Learning.Result strict = learn(log, false);
        Learning.Result wide = learn(log, true);

        assertThat(hosts(strict))
                .containsExactly("api.example.com", "left.example.com", "slow.example.com", "warned.example.com");
        assertThat(strict.notes())
                .contains(
                        "learned from 4 requests to 4 hosts, of 12 records in -",
                        "left out: 2 requests refused by the allowlist (--include-refused takes them in), such as"
                                + " CONNECT tunnel.example.com:443 (-:4)",
                        "left out: 1 request refused by judge, which no allowlist changes, such as GET"
                                + " judged.example.com:443/j (-:5)",
                        "left out: 1 request refused by the proxy itself (bad_request), such as GET"
                                + " bad.example.com:443/b (-:6)",
                        "left out: 1 request for the proxy's own pages, such as GET sallyport.internal:80/env.sh (-:7)")
                .anyMatch(note -> note.startsWith("left out: 3 requests without a verdict of every gate"))
                .anyMatch(note -> note.startsWith("left out: 2 lines without a readable record, such as -:13: "));
        assertThat(hosts(wide))
                .containsExactly(
                        "tunnel.example.com",
                        "api.example.com",
                        "left.example.com",
                        "refused.example.com",
                        "slow.example.com",
                        "warned.example.com");
    }

    @Test
    void a_host_that_got_a_credential_keeps_its_paths_literal() throws Exception {
        var swapped = AuditLog.traced("secrets", "allow", "swapped", List.of(Map.of("secret", "env:KEY")));
        Learning.Result learned = learn(
                new AuditLog()
                        .add(swapped, "GET", "api.example.com", 443, "/users/1234", "allow")
                        .allow("GET", "api.example.com", "/users/5678")
                        .allow("GET", "api.example.com", "/a%2Fb")
                        .add(
                                record -> record.withObject("audit").put("mode", "sni-only"),
                                "",
                                "api.example.com",
                                443,
                                "",
                                "allow")
                        .add(
                                AuditLog.traced("oauth_token", "allow", "", ""),
                                "GET",
                                "m.example.com",
                                443,
                                "/1234",
                                "allow")
                        .allow("GET", "other.example.com", "/users/1234"),
                false);

        assertThat(learned.policy())
                .contains(
                        "            - /users/1234",
                        "            - /users/5678",
                        "            - /1234",
                        "            - /users/* # * is a number; covers what lies below too");
        assertThat(learned.notes())
                .contains(
                        "paths kept literal: api.example.com and m.example.com get a credential",
                        "left out: 1 request to a host that gets a credential, with a path that no pattern holds"
                                + " literally, such as GET api.example.com:443/a%2Fb",
                        "left out: 1 request to a host that gets a credential, of which only a rule for every path"
                                + " could be made, such as api.example.com:443");
    }

    @Test
    void what_a_workload_sent_cannot_break_out_of_a_comment_or_a_string() throws Exception {
        Learning.Result learned = learn(
                new AuditLog()
                        .allow("GET", "api.example.com", "/%22%0A%23x%1b[31m")
                        .refused("GET\n- host: evil", "api.example.com", "/\u001b[31m\nx"),
                false);

        assertThat(learned.policy())
                .contains("            - \"/\\\"*x*[31m\" # * is a character that no pattern can hold");
        assertThat(learned.notes()).noneMatch(note -> note.contains("\n") || note.contains("\u001b"));
    }

    @Test
    void nothing_to_learn_from_is_a_failure_that_says_why() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> learn(new AuditLog().refused("GET", "a.example.com", "/"), false))
                .satisfies(failure -> assertThat(failure.problems())
                        .containsExactly(
                                "-: nothing to learn from (expected: a request that was let through)",
                                "left out: 1 request refused by the allowlist (--include-refused takes them in), such"
                                        + " as GET a.example.com:443/ (-:1)"));
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> new Learning(List.of("none.jsonl"), false, false, plugins.catalog(), Map.of())
                        .policy(new AuditLog().stream()))
                .withMessage("none.jsonl: no such file (expected: an audit log)");
    }

    private static List<String> hosts(Learning.Result learned) {
        return learned.policy().stream()
                .filter(line -> line.matches(" +- (host: )?[a-z]+\\.example\\.com( #.*)?"))
                .map(line -> line.replaceAll("^ +- (host: )?| #.*$", ""))
                .toList();
    }

    private static Learning.Result learn(AuditLog log, boolean includeRefused) throws Failure {
        return new Learning(List.of("-"), includeRefused, false, plugins.catalog(), Map.of()).policy(log.stream());
    }
}

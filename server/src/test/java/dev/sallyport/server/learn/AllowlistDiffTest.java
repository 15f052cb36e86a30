package dev.sallyport.server.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.server.Failure;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code learn -config FILE}: a diff that {@code patch} applies, which leaves everything else alone. */
class AllowlistDiffTest {

    private static final String HEAD = """
            # mine
            dns: {enabled: false}
            tls: {mode: sni-only}
            """;

    @TempDir
    private Path folder;

    private Plugins plugins;

    @BeforeEach
    void load() throws Exception {
        plugins = Plugins.load(null);
    }

    @AfterEach
    void unload() {
        plugins.close();
    }

    @Test
    void needed_entries_stay_with_their_comments_and_others_go() throws Exception {
        String before = HEAD + """
                transforms:
                  # first the gate
                  - name: allowlist
                    config:
                      # hosts of ours
                      domains:
                        - kept.example.com # for the build
                        - unused.example.com
                      rules:
                        - host: "*"
                          methods: [GET]
                        # the API
                        - host: api.example.com
                          paths: ["/v1/*"]
                      warn: true # for now

                  - name: annotate
                    config: {annotations: [{rules: [{host: "*"}], headers: [X]}]}
                # the end
                """;
        AuditLog log = new AuditLog()
                .allow("GET", "kept.example.com", "/anything")
                .allow("GET", "api.example.com", "/v1/1234")
                .allow("POST", "new.example.com", "/upload")
                .allow("GET", "api.example.com", "/health");

        Learning.Result learned = learn(before, log);

        assertThat(patched(before, learned)).isEqualTo(HEAD + """
                transforms:
                  # first the gate
                  - name: allowlist
                    config:
                      # hosts of ours
                      domains:
                        - kept.example.com # for the build
                      rules:
                        # the API
                        - host: api.example.com
                          paths: ["/v1/*"]
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /health
                        - host: new.example.com
                          methods: [POST]
                          paths:
                            - /upload
                      warn: true # for now

                  - name: annotate
                    config: {annotations: [{rules: [{host: "*"}], headers: [X]}]}
                # the end
                """);
        assertThat(learned.notes())
                .contains(
                        "taken out: line 13 (*), in whose place stands what was seen",
                        "taken out: line 11 (unused.example.com), which no request needs",
                        "warn: true stays where it is, and nothing is refused before it goes");
        // and unless told to, it only names what is not needed
        Learning.Result unpruned = learn(before, log, false);
        assertThat(patched(before, unpruned))
                .contains("        - unused.example.com\n")
                .doesNotContain("\"*\"\n          methods");
        assertThat(unpruned.notes())
                .contains(
                        "kept: line 11 (unused.example.com), which no request needs (--prune takes out what is not needed)");
        // and once more there is nothing to do
        assertThat(learn(patched(before, learned), log).policy()).isEmpty();
    }

    @Test
    void no_allowlist_yet_gets_one_in_front() throws Exception {
        String before = HEAD + """
                transforms:
                  - name: annotate
                    config: {annotations: []}
                """;

        assertThat(patched(before, learn(before, one()))).isEqualTo(HEAD + """
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /a
                  - name: annotate
                    config: {annotations: []}
                """);
    }

    @Test
    void a_file_without_transforms_and_without_a_last_line_feed() throws Exception {
        String before = HEAD.stripTrailing();

        assertThat(patched(before, learn(before, one()))).isEqualTo(HEAD + """

                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /a
                """);
    }

    @Test
    void lists_and_entries_in_brackets_are_written_anew() throws Exception {
        String expected = HEAD + """
                transforms:
                  - name: allowlist
                    config:
                      domains:
                        - kept.example.com
                      rules:
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /a
                  - {name: annotate, config: {annotations: []}}
                """;
        AuditLog log = one().allow("GET", "kept.example.com", "/");

        for (String before : List.of("""
                transforms: [{name: allowlist, config: {domains: [kept.example.com, b.example.com]}}, {name: annotate, config: {annotations: []}}]
                """, """
                transforms:
                  - {name: allowlist, config: {domains: [kept.example.com, b.example.com]}}
                  - {name: annotate, config: {annotations: []}}
                """, """
                transforms:
                  - name: allowlist
                    config: {domains: [kept.example.com,
                      b.example.com]}
                  - {name: annotate, config: {annotations: []}}
                """, """
                transforms:
                  - name: allowlist
                    config:
                      domains: [kept.example.com, b.example.com] # two
                  - {name: annotate, config: {annotations: []}}
                """)) {
            assertThat(patched(HEAD + before, learn(HEAD + before, log)))
                    .as(before)
                    .isEqualTo(expected);
        }
    }

    @Test
    void what_a_rule_says_beside_methods_and_paths_is_written_anew_with_it() throws Exception {
        String before = HEAD + """
                transforms:
                  - {name: allowlist, config: {rules: [{host: kept.example.com, methods: [GET], exact: true, keep_overrides: true}, {host: b.example.com}]}}
                """;

        assertThat(patched(before, learn(before, one().allow("GET", "kept.example.com", "/"))))
                .isEqualTo(HEAD + """
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - host: kept.example.com
                          methods: [GET]
                          exact: true
                          keep_overrides: true
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /a
                """);
    }

    @Test
    void an_empty_allowlist_in_its_spellings() throws Exception {
        String rules = """
                      rules:
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /a
                """;
        String entry = HEAD + "transforms:\n  - name: allowlist\n    config:\n";
        String plain = HEAD + "transforms:\n  - name: allowlist\n";

        assertThat(patched(plain, learn(plain, one()))).isEqualTo(entry + rules);
        assertThat(patched(entry, learn(entry, one()))).isEqualTo(entry + rules);
        String braces = plain + "    config: {}\n";
        assertThat(patched(braces, learn(braces, one()))).isEqualTo(entry + rules);
        String lists = entry + "      domains: []\n      rules:\n";
        assertThat(patched(lists, learn(lists, one()))).isEqualTo(entry + "      domains: []\n" + rules);
        String none = HEAD + "transforms: []\n";
        assertThat(patched(none, learn(none, one()))).isEqualTo(entry + rules);
    }

    @Test
    void rules_of_entries_with_a_credential_are_not_touched_and_their_hosts_stay_literal() throws Exception {
        String before = """
                dns: {enabled: false}
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                transforms:
                  - name: allowlist
                    config:
                      domains: ["*"]
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: KEY}
                          replace: {proxy_value: placeholder}
                          rules: [{host: "*.example.com"}]
                """;
        AuditLog log = new AuditLog()
                .allow("GET", "api.example.com", "/users/1234")
                .allow("GET", "api.example.org", "/users/1234");

        Learning.Result learned = learn(before, log);

        assertThat(patched(before, learned)).isEqualTo("""
                dns: {enabled: false}
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                transforms:
                  - name: allowlist
                    config:
                      domains: []
                      rules:
                        - host: api.example.com
                          methods: [GET]
                          paths:
                            - /users/1234
                        - host: api.example.org
                          methods: [GET]
                          paths:
                            - /users/* # * is a number; covers what lies below too
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: KEY}
                          replace: {proxy_value: placeholder}
                          rules: [{host: "*.example.com"}]
                """);
        assertThat(learned.notes()).contains("paths kept literal: api.example.com gets a credential");
        // and where the credential goes everywhere
        String everywhere = before.replace("          rules: [{host: \"*.example.com\"}]\n", "");
        assertThat(learn(everywhere, log).notes())
                .anyMatch(note -> note.startsWith("paths kept literal everywhere: no destination is safe from the"
                        + " credentials of secrets at "));
    }

    @Test
    void lines_that_end_as_on_windows() throws Exception {
        String before = (HEAD + "transforms:\n  - name: allowlist\n    config:\n      domains:\n        - \"*\"\n")
                .replace("\n", "\r\n");

        Learning.Result learned = learn(before, one());

        assertThat(learned.policy()).contains("-        - \"*\"\r", "+        - host: api.example.com\r");
    }

    @Test
    void stubs_that_stand_before_the_allowlist_need_no_rule() throws Exception {
        String before = HEAD + "transforms:\n  - name: allowlist\n    config: {domains: [\"*\"]}\n";
        AuditLog log = one().add(
                        record -> record.put("stubbed_by", "oauth_token"),
                        "POST",
                        "early.example.com",
                        443,
                        "/token",
                        "stub")
                .add(AuditLog.traced("allowlist", "allow", "", ""), "POST", "late.example.com", 443, "/token", "stub");

        Learning.Result learned = learn(before, log);

        assertThat(learned.policy())
                .contains("+        - host: late.example.com")
                .noneMatch(line -> line.contains("early"));
        assertThat(learned.notes())
                .contains(
                        "left out: 1 request answered by an unnamed transform before the allowlist was asked, such as POST early.example.com:443/token (-:2)"
                                .replace("an unnamed transform", "oauth_token"));
    }

    @Test
    void what_cannot_be_edited_is_refused_and_said() throws Exception {
        fails("{\"dns\": {\"enabled\": false}, \"tls\": {\"mode\": \"sni-only\"}}", "is written in braces");
        fails(
                HEAD + "transforms: [{name: allowlist}, {name: allowlist}]\n",
                "proxy.yaml: has allowlists at lines 4 and 4 (expected: one, which the rules are to belong to)");
        fails(HEAD + "transfroms: []\n", "/transfroms: unknown key \"transfroms\" (expected: transforms?)");
        fails("""
                dns: {enabled: false}
                tls:
                  ca_cert: ca.crt
                  ca_key: ca.key
                  passthrough: &hosts
                    - a.example.com
                transforms:
                  - name: allowlist
                    config:
                      domains: *hosts
                """, "proxy.yaml:7: transforms with anchors or aliases (expected: everything written out");
    }

    private void fails(String text, String message) throws IOException {
        Files.writeString(folder.resolve("proxy.yaml"), text);
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> learn(text, one()))
                .withMessageContaining(message);
    }

    private static AuditLog one() {
        return new AuditLog().allow("GET", "api.example.com", "/a");
    }

    private Learning.Result learn(String text, AuditLog log) throws Failure, IOException {
        return learn(text, log, true);
    }

    private Learning.Result learn(String text, AuditLog log, boolean prune) throws Failure, IOException {
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(file, text);
        return new Learning(List.of("-"), false, prune, plugins.catalog(), Map.of()).diff(file, log.stream());
    }

    /** The text after {@code patch}, fed with all that the command writes. */
    private String patched(String text, Learning.Result learned) throws Exception {
        assumeTrue(works(), "needs patch");
        Path file = folder.resolve("patched.yaml");
        Path diff = folder.resolve("learned.diff");
        Files.writeString(file, text);
        StringBuilder output = new StringBuilder();
        learned.notes().forEach(note -> output.append("# ").append(note).append('\n'));
        learned.policy().forEach(line -> output.append(line).append('\n'));
        Files.writeString(diff, output);
        Process patch = new ProcessBuilder("patch", "--fuzz=0", file.toString(), diff.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("patch.txt").toFile())
                .start();
        assertThat(patch.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(patch.exitValue())
                .as(output + Files.readString(folder.resolve("patch.txt")))
                .isZero();
        return Files.readString(file);
    }

    private static boolean works() throws InterruptedException {
        try {
            return new ProcessBuilder("patch", "--version")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}

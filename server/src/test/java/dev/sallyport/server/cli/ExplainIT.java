package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport explain} and {@code sallyport replay} as people and CI jobs call them: docs/cli.md. */
class ExplainIT {

    private static final String RECORD =
            "{\"msg\":\"request\",\"exchange_id\":\"e%d\",\"audit\":{\"host\":\"api.example.com\",\"port\":443,"
                    + "\"method\":\"GET\",\"path\":\"%s\",\"sni\":\"api.example.com\",\"action\":\"allow\"},"
                    + "\"request_transforms\":[{\"name\":\"allowlist\",\"action\":\"allow\"}]}\n";

    @TempDir
    private Path folder;

    @BeforeEach
    void configuration() throws Exception {
        Files.writeString(folder.resolve("proxy.yaml"), """
                dns: {enabled: false}
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                transforms:
                  - name: allowlist
                    config:
                      rules:
                        - {host: api.example.com, paths: ["/v1/*"]}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: NO_SUCH_VARIABLE}
                          replace: {proxy_value: PLACEHOLDER, match_headers: [Authorization]}
                          rules: [{host: api.example.com}]
                """);
    }

    @Test
    void an_allowed_request() throws Exception {
        Sallyport.Ended ended = Sallyport.run(
                folder,
                "explain",
                "-config",
                "proxy.yaml",
                "-H",
                "Authorization: Bearer PLACEHOLDER",
                "GET",
                "https://api.example.com/v1/x");

        assertThat(ended.out()).startsWith("""
                GET https://api.example.com/v1/x
                ALLOW  proxy.yaml:7  /transforms/0/config/rules/0

                  1  allowlist  ALLOW        proxy.yaml:7  /transforms/0/config/rules/0
                  2  secrets    ALLOW        proxy.yaml:13  /transforms/1/config/secrets/0/rules/0
                       set header Authorization: ***
                       swapped NO_SUCH_VARIABLE in header:Authorization

                response:
                       secrets removed from it: NO_SUCH_VARIABLE

                would go to api.example.com:443 over TLS; nothing was resolved, asked, minted or sent
                note: proxy.yaml:2""").contains("note: secret NO_SUCH_VARIABLE counts as there: ");
        assertThat(ended.code()).isZero();
    }

    @Test
    void a_refused_request_as_json() throws Exception {
        Sallyport.Ended ended = Sallyport.run(
                folder,
                "explain",
                "-config",
                "proxy.yaml",
                "--json",
                "-d",
                "a=b",
                "POST",
                "https://api.example.com/v2");

        JsonNode json = new ObjectMapper().readTree(ended.out());
        assertThat(json.get("verdict").asText()).isEqualTo("reject");
        assertThat(json.get("rejected_by").asText()).isEqualTo("allowlist");
        assertThat(json.at("/rule/file").asText()).isEqualTo("proxy.yaml");
        assertThat(json.get("remarks").size()).isPositive();
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void wrong_usage() throws Exception {
        Sallyport.Ended noUrl = Sallyport.run(folder, "explain", "-config", "proxy.yaml", "GET");
        Sallyport.Ended noScheme =
                Sallyport.run(folder, "explain", "-config", "proxy.yaml", "GET", "api.example.com/v1");
        Sallyport.Ended noFile = Sallyport.run(folder, "replay", "-config", "proxy.yaml");

        assertThat(noUrl.code()).isEqualTo(2);
        assertThat(noScheme.code()).isEqualTo(2);
        assertThat(noScheme.err())
                .isEqualTo("sallyport: url: no scheme (expected: an http or https URL, such as"
                        + " https://api.example.com/v1)\n");
        assertThat(noFile.code()).isEqualTo(2);
    }

    @Test
    @Tag("long")
    void a_replay_is_a_gate() throws Exception {
        Files.writeString(folder.resolve("audit.jsonl"), RECORD.formatted(1, "/v1/a") + RECORD.formatted(2, "/v1/b"));
        Files.writeString(folder.resolve("audit.jsonl.000001"), RECORD.formatted(3, "/v2") + "{\"msg\":\"requ");

        Sallyport.Ended same = Sallyport.run(folder, "replay", "-config", "proxy.yaml", "audit.jsonl");
        Sallyport.Ended flips =
                Sallyport.run(folder, "replay", "-config", "proxy.yaml", "audit.jsonl", "audit.jsonl.000001");
        Sallyport.Ended json =
                Sallyport.run(folder, "replay", "-config", "proxy.yaml", "--json", "audit.jsonl.000001", "audit.jsonl");
        Sallyport.Ended nothing = Sallyport.run(folder, "replay", "-config", "proxy.yaml", "proxy.yaml");
        Sallyport.Ended missing = Sallyport.run(folder, "replay", "-config", "proxy.yaml", "missing.jsonl");

        assertThat(same.out()).endsWith("""
                2 exchanges: 2 unchanged, 0 would flip, 0 undecidable
                2 of the unchanged also depend on headers, taken as they were
                """);
        assertThat(same.code()).isZero();
        assertThat(flips.out()).startsWith("""
                        ALLOW -> REJECT  allowlist  proxy.yaml:6  /transforms/0/config  (1)
                            GET https://api.example.com/v2  destination_not_allowed  e3  audit.jsonl.000001:1
                        """).endsWith("1 line holds no usable record\n");
        assertThat(flips.err()).contains("sallyport: audit.jsonl.000001:2: the rest of the record is missing\n");
        assertThat(flips.code()).isEqualTo(1);
        assertThat(new ObjectMapper().readTree(json.out()).at("/counts/flips").asInt())
                .isEqualTo(1);
        assertThat(nothing.err()).contains("proxy.yaml: no record of an exchange");
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(missing.err()).contains("sallyport: missing.jsonl: no such file (expected: an audit log)\n");
        assertThat(missing.code()).isEqualTo(1);
    }
}

package dev.sallyport.server.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.core.explain.TransformOutcome;
import dev.sallyport.testsupport.TestOrigin;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A configuration on a machine that has nothing of what it names. */
class DryRunTest {

    private static final String YAML = """
            dns: {enabled: false}
            proxy: {tunnel_listen: "127.0.0.1:3128"}
            tls: {ca_cert: /nowhere/ca.pem, ca_key: /nowhere/ca.key, upstream_ca: /nowhere/roots.pem}
            log: {audit: {file: /nowhere/audit.jsonl}}
            transforms:
              - name: allowlist
                config: {domains: ["*.example.com"]}
              - name: judge
                config:
                  name: gate
                  prompt: Allow nothing.
                  rules: [{host: judged.example.com, methods: [POST]}]
                  provider: {type: llm_a, model: m, api_key_env: JUDGE_KEY}
              - name: secrets
                config:
                  secrets:
                    - source: {type: env, var: TOKEN}
                      replace: {proxy_value: PLACEHOLDER_ONE, match_headers: [Authorization]}
                      rules: [{host: api.example.com}]
                    - source: {type: cloud_sm, secret_id: prod/api, region: eu-west-1, json_key: token}
                      inject: {header: X-Api-Key}
                      rules: [{host: cloud.example.com}]
              - name: svcacct_auth
                config:
                  keyfile_path: /nowhere/key.json
                  scopes: [a]
                  rules: [{host: minted.example.com}]
              - name: sigv4_auth
                config:
                  credentials_provider: {type: workload_identity}
                  rules: [{host: signed.example.com}]
            """;

    private static DryRun open(Map<String, String> environment) throws Exception {
        return EgressProxy.builder()
                .configText("proxy.yaml", YAML)
                .environment(environment)
                .dryRun(false);
    }

    private static Explanation explain(DryRun dry, String method, String url, String... header) throws Exception {
        ExplainRequest.Builder request = ExplainRequest.builder(method, url);
        if (header.length > 0) {
            request.header(header[0], header[1]);
        }
        return dry.explain(request.build());
    }

    @Test
    void what_is_missing_counts_as_there_and_is_named() throws Exception {
        try (DryRun dry = open(Map.of())) {
            Explanation swapped =
                    explain(dry, "GET", "https://api.example.com/", "Authorization", "Bearer PLACEHOLDER_ONE");
            Explanation injected = explain(dry, "GET", "https://cloud.example.com/");
            Explanation refused = explain(dry, "GET", "https://other.example.org/");

            assertThat(swapped.verdict()).isEqualTo(Verdict.ALLOW);
            assertThat(outcome(swapped, "secrets").annotations().toString()).contains("TOKEN");
            assertThat(injected.verdict()).isEqualTo(Verdict.ALLOW);
            assertThat(outcome(injected, "secrets").edits())
                    .singleElement()
                    .satisfies(edit -> assertThat(edit.value()).isEqualTo("***"));
            assertThat(refused.verdict()).isEqualTo(Verdict.REJECT);
            assertThat(dry.remarks())
                    .anyMatch(remark -> remark.contains("/tls/ca_cert: /nowhere/ca.pem: no such file"))
                    .anyMatch(remark -> remark.contains("/tls/upstream_ca"))
                    .anyMatch(remark -> remark.contains("/log/audit/file"))
                    .anyMatch(remark -> remark.startsWith("secret TOKEN counts as there: "))
                    .anyMatch(remark -> remark.matches("secret .* counts as there: not asked.*"))
                    .anyMatch(remark -> remark.endsWith("/transforms/1/config: counts as set: JUDGE_KEY"))
                    .anyMatch(remark -> remark.contains("/transforms/3/config/keyfile_path"))
                    .anyMatch(remark -> remark.contains("/transforms/4/config/credentials_provider"));
        }
    }

    private static TransformOutcome outcome(Explanation explanation, String name) {
        return explanation.transforms().stream()
                .filter(outcome -> outcome.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_transform_that_cannot_be_made_leaves_open_what_it_would_be_asked() throws Exception {
        try (DryRun dry = open(Map.of())) {
            Explanation minted = explain(dry, "GET", "https://minted.example.com/");
            Explanation signed = explain(dry, "GET", "https://signed.example.com/");
            Explanation judged = explain(dry, "POST", "https://judged.example.com/");
            Explanation unjudged = explain(dry, "GET", "https://judged.example.com/");
            Explanation tunnel = explain(dry, "CONNECT", "minted.example.com:443");

            assertThat(minted.verdict()).isEqualTo(Verdict.UNDECIDABLE);
            assertThat(minted.decidedBy()).isEqualTo("svcacct_auth");
            assertThat(minted.rule().pointer()).isEqualTo("/transforms/3/config");
            assertThat(signed.decidedBy()).isEqualTo("sigv4_auth");
            assertThat(judged.decidedBy()).isEqualTo("judge");
            assertThat(judged.detail()).isEqualTo("judge would ask somebody");
            assertThat(unjudged.verdict()).isEqualTo(Verdict.ALLOW);
            assertThat(tunnel.verdict()).isEqualTo(Verdict.UNDECIDABLE);
        }
    }

    @Test
    void what_is_there_is_used() throws Exception {
        try (DryRun dry = open(Map.of("TOKEN", "value-of-the-token", "JUDGE_KEY", "k"))) {
            assertThat(dry.remarks()).noneMatch(remark -> remark.contains("TOKEN") || remark.contains("JUDGE_KEY"));
        }
    }

    @Test
    void a_configuration_that_is_wrong_is_refused() {
        assertThatThrownBy(() -> EgressProxy.builder()
                        .configText("proxy.yaml", "transforms: [{name: allowlist, config: {domain: [a]}}]")
                        .environment(Map.of())
                        .dryRun(false))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("proxy.yaml:1:41: /transforms/0/config/domain: unknown key");
    }

    @Test
    void live_the_model_is_asked_and_the_destination_is_not() throws Exception {
        String answer = "{\"decision\":\"DENY\",\"reason\":\"no\"}";
        String body = "{\"content\":[{\"type\":\"text\",\"text\":\"" + answer.replace("\"", "\\\"")
                + "\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}";
        try (TestOrigin model =
                        TestOrigin.answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                                + body.length() + "\r\n\r\n" + body);
                TestOrigin destination = TestOrigin.answering(TestOrigin.ok("never"));
                DryRun dry = EgressProxy.builder()
                        .configText(
                                "proxy.yaml",
                                "tls: {mode: sni-only}\ndns: {enabled: false}\nproxy: {upstream_deny_cidrs: []}\n"
                                        + "transforms: [{name: judge, config: {name: gate, prompt: p, "
                                        + "rules: [{host: localhost}], provider: {type: llm_a, model: m, "
                                        + "api_key_env: JUDGE_KEY, base_url: \"http://127.0.0.1:" + model.port()
                                        + "\"}}}]")
                        .environment(Map.of("JUDGE_KEY", "k"))
                        .dryRun(true)) {
            Explanation explanation =
                    dry.explain(ExplainRequest.builder("GET", "http://localhost:" + destination.port() + "/")
                            .live(true)
                            .build());

            assertThat(explanation.verdict()).isEqualTo(Verdict.REJECT);
            assertThat(explanation.code()).isEqualTo("judge_denied");
            assertThat(explanation.rule().pointer()).isEqualTo("/transforms/0/config/rules/0");
            assertThat(model.connections()).isEqualTo(1);
            assertThat(destination.connections()).isZero();
        }
    }
}

package dev.sallyport.server.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.server.plugin.Plugins;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/cli.md, section "check": three sentences in good English for none, one and many. */
class ConfigSummaryTest {

    private static final String TUNNEL =
            "{http_listen: disabled, https_listen: disabled, tunnel_listen: \"127.0.0.1:3128\"}";

    private static Plugins plugins;

    @BeforeAll
    static void load() throws Exception {
        plugins = Plugins.load(null);
    }

    @AfterAll
    static void unload() {
        plugins.close();
    }

    @Test
    void one_of_each() {
        assertThat(ConfigSummary.of(config("""
                dns: {enabled: false}
                proxy: %s
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                metrics: {listen: "127.0.0.1:9090"}
                transforms:
                  - {name: allowlist, config: {domains: [api.example.com]}}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: API_TOKEN}
                          replace: {proxy_value: the-placeholder}
                          rules: [{host: api.example.com}]
                """.formatted(TUNNEL))))
                .containsExactly(
                        "Workloads connect to 127.0.0.1:3128 (CONNECT and SOCKS5), and the proxy reads their TLS;"
                                + " it shows its metrics at 127.0.0.1:9090.",
                        "Requests may leave only for api.example.com; all others are refused.",
                        "One credential is added: env API_TOKEN for api.example.com.");
    }

    @Test
    void everything_and_much_of_it() {
        String many =
                IntStream.range(0, 9).mapToObj(i -> "h" + i + ".example.com").collect(Collectors.joining(", "));
        String secrets = IntStream.range(0, 7)
                .mapToObj(i -> "        - source: {type: env, var: KEY" + i + "}\n"
                        + "          inject: {header: X-Key}\n"
                        + "          rules: [{host: h" + i + ".example.com}]\n")
                .collect(Collectors.joining());

        assertThat(ConfigSummary.of(config("""
                dns: {proxy_ip: 192.0.2.1}
                proxy:
                  http_listen: ":80"
                  https_listen: "0.0.0.0:443"
                  tunnel_listen: "127.0.0.1:0"
                  auth:
                    required: true
                    users:
                      - {name: a, password: {type: env, var: A}}
                      - {name: b, password: {type: env, var: B}}
                tls: {ca_cert: ca.crt, ca_key: ca.key, passthrough: [a.example.org, b.example.org, c.example.org, d.example.org]}
                metrics: {listen: "[::1]:9090"}
                transforms:
                  - name: allowlist
                    config: {domains: [%s], rules: [{host: x.example.com, methods: [GET]}]}
                  - name: judge
                    config:
                      name: careful
                      prompt: p
                      rules: [{host: "*"}]
                      provider: {type: llm_a, model: m, api_key_env: JUDGE_KEY}
                  - name: secrets
                    config:
                      secrets:
                %s
                mcp: {servers: [{name: s, rules: [{host: h1.example.com}]}]}
                """.formatted(many, secrets))))
                .containsExactly(
                        "Workloads connect to port 80 of every interface (HTTP), port 443 of every interface (HTTPS) and a"
                                + " free port of 127.0.0.1 (CONNECT and SOCKS5), where they need the password of one of 2"
                                + " users, and the proxy reads their TLS, except for a.example.org, b.example.org,"
                                + " c.example.org and 1 more; it answers DNS queries at port 53 of every interface and"
                                + " shows its metrics at [::1]:9090.",
                        "Requests may leave only for h0.example.com, h1.example.com, h2.example.com, h3.example.com,"
                                + " h4.example.com and 5 more (1 of them limited by method, path, port or scheme); all"
                                + " others are refused, and judge careful and mcp judge what their rules name.",
                        "7 credentials are added: env KEY0 for h0.example.com; env KEY1 for h1.example.com; env KEY2 for"
                                + " h2.example.com; env KEY3 for h3.example.com; env KEY4 for h4.example.com; and 2 more.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                                                          | Requests may leave for any host, since no allowlist limits them.",
                "[{name: allowlist}]                                         | No request may leave, since the allowlist is empty.",
                "[{name: allowlist, config: {domains: [\"*\"]}}]             | Requests may leave for any host, since the allowlist names all of them.",
                "[{name: allowlist, config: {warn: true, domains: [a.b]}}]   | Requests may leave for any host, since the allowlist only warns.",
                "[{name: allowlist, config: {domains: [a.b, c.d]}}]          | Requests may leave only for a.b and c.d; all others are refused.",
                "[{name: allowlist, config: {cidrs: [192.0.2.0/24]}}]        | Requests may leave only for 192.0.2.0/24; all others are refused.",
                "[{name: allowlist, config: {rules: [{host: a.b, methods: [GET]}, {host: a.b, paths: [/x]}]}}] | Requests may leave only for a.b (limited by method, path, port or scheme); all others are refused.",
                "[{name: allowlist, config: {rules: [{host: \"*\", methods: [GET]}]}}] | Requests may leave for any host, but only by certain methods, paths, ports or schemes; all others are refused.",
                "[{name: allowlist, config: {domains: [a.b]}}, {name: allowlist, config: {domains: [c.d]}}] | Requests may leave only where all of 2 allowlists let them, the first for a.b, the next for c.d; all others are refused.",
                "[{name: grpc, config: {name: g, target: \"127.0.0.1:1\"}}]  | Requests may leave for any host, since no allowlist limits them, and grpc g judges what its rules name."
            })
    void what_may_leave(String transforms, String sentence) {
        assertThat(ConfigSummary.of(config(plain(transforms))).get(1)).isEqualTo(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                                                          | No credential is added to any request.",
                "[{name: secrets, config: {secrets: [{source: {type: env, var: A}, replace: {proxy_value: abcdefgh}}]}}] | One credential is added: env A for every host.",
                "[{name: secrets, config: {secrets: [{source: {type: file, path: /k}, replace: {proxy_value: abcdefgh}, rules: [{host: a.b}, {host: c.d}, {cidr: 192.0.2.1}, {host: e.f}]}]}}] | One credential is added: file /k for a.b, c.d, 192.0.2.1 and 1 more.",
                "[{name: oauth_token, config: {tokens: [{grant: client_credentials, token_endpoint: \"https://login.example.com/t\", client_id: {type: env, var: ID}, client_secret: {type: env, var: S}, rules: [{host: a.b}]}]}}] | One credential is added: oauth_token with env ID and env S for a.b.",
                "[{name: svcacct_auth, config: {keyfile_path: /k.json, scopes: [s], rules: [{host: a.b}]}}] | One credential is added: svcacct_auth for a.b."
            })
    void which_credentials_go_where(String transforms, String sentence) {
        assertThat(ConfigSummary.of(config(plain(transforms))).get(2)).isEqualTo(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{mode: sni-only} | disabled | Workloads connect to 127.0.0.1:3128 (CONNECT and SOCKS5), and the proxy passes their TLS on unread.",
                "{ca_cert: a, ca_key: b, passthrough: [a.b]} | disabled | Workloads connect to 127.0.0.1:3128 (CONNECT and SOCKS5), and the proxy reads their TLS, except for a.b.",
                "{mode: sni-only} | \"[::1]:0\" | Workloads connect to 127.0.0.1:3128 (CONNECT and SOCKS5), and the proxy passes their TLS on unread; it shows its metrics at a free port of ::1."
            })
    void who_listens_where(String tls, String metrics, String sentence) {
        String text =
                "dns: {enabled: false}\nproxy: " + TUNNEL + "\ntls: " + tls + "\nmetrics: {listen: " + metrics + "}\n";

        assertThat(ConfigSummary.of(config(text)).get(0)).isEqualTo(sentence);
    }

    @Test
    void what_a_control_plane_decides() {
        assertThat(ConfigSummary.of(config(plain("[]") + "control: {listen: \"127.0.0.1:0\"}\n"))
                        .subList(1, 3))
                .containsExactly(
                        "Requests may leave only where the policies of the control plane let them.",
                        "Credentials are added by the policies of the control plane alone.");
    }

    @Test
    void no_value_of_a_placeholder_or_a_secret_is_shown() {
        String text = plain("[{name: hmac_sign, config: {timestamp: {format: unix_seconds},"
                + " signature: {algorithm: sha256, key_encoding: raw, output_encoding: hex, message: \"{{.Path}}\"},"
                + " credentials: {secret: {type: env, var: SIGNING_KEY}},"
                + " headers: [{name: X, value: \"private-{{.Signature}}\"}], rules: [{host: a.b}]}},"
                + " {name: secrets, config: {secrets: [{source: {type: vault, secret_ref: \"op://v/i/f\"},"
                + " replace: {proxy_value: private-placeholder}, rules: [{host: a.b}]}]}}]");

        List<String> sentences = ConfigSummary.of(config(text));

        assertThat(String.join("\n", sentences)).doesNotContain("private");
        assertThat(sentences.get(2))
                .isEqualTo(
                        "2 credentials are added: hmac_sign with env SIGNING_KEY for a.b; vault op://v/i/f for a.b.");
    }

    private static String plain(String transforms) {
        return "dns: {enabled: false}\nproxy: " + TUNNEL + "\ntls: {ca_cert: ca.crt, ca_key: ca.key}\ntransforms: "
                + transforms + "\n";
    }

    private static ProxyConfig config(String text) {
        ConfigResult read = ConfigLoader.load("proxy.yaml", text, Path.of("/"), Map.of(), plugins.catalog());
        assertThat(read.problems()).as(text).isEmpty();
        return read.draft();
    }
}

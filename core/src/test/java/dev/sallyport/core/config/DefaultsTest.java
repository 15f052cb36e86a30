package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields and defaults of the specification, and those that are ours. */
class DefaultsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // the specification
                "dns.listen | :53",
                "dns.upstream_resolver | null",
                "dns.passthrough | []",
                "dns.records | []",
                "proxy.http_listen | :80",
                "proxy.https_listen | :443",
                "proxy.tunnel_listen | null",
                "proxy.max_request_body_bytes | 1048576",
                "proxy.max_response_body_bytes | 0",
                "proxy.upstream_response_header_timeout | PT30S",
                "proxy.upstream_deny_cidrs | [169.254.169.254/32, fd00:ec2::254/128, 127.0.0.0/8, ::1/128]",
                "tls.mode | MITM",
                "tls.cert_cache_size | 1000",
                "tls.leaf_cert_expiry_hours | 72",
                "transforms | []",
                "management | null",
                "metrics.listen | :9090",
                "log.level | INFO",
                // ours
                "dns.enabled | true",
                "dns.proxy_ip6 | null",
                "proxy.sni_upstream_port | 443",
                "proxy.lint | WARN",
                "proxy.auth | null",
                "proxy.reload.long_lived | KEEP",
                "proxy.limits.request_line_bytes | 16KiB",
                "proxy.limits.header_bytes | 64KiB",
                "proxy.limits.header_count | 200",
                "proxy.limits.trailer_bytes | 8KiB",
                "proxy.limits.trailer_count | 64",
                "proxy.limits.chunk_framing_bytes | 128KiB",
                "proxy.limits.client_hello_bytes | 64KiB",
                "proxy.limits.max_connections | 10000",
                "proxy.limits.max_connections_per_address | 2500",
                "proxy.limits.buffered_bytes | null",
                "proxy.limits.buffered_head_bytes | null",
                "proxy.limits.connection_head_bytes | 1MiB",
                "proxy.limits.blocking_threads | 512",
                "proxy.limits.client_hello_timeout | PT5S",
                "proxy.limits.handshake_timeout | PT10S",
                "proxy.limits.first_bytes_timeout | PT10S",
                "proxy.limits.header_read_timeout | PT10S",
                "proxy.limits.client_idle_timeout | PT2M",
                "proxy.limits.relay_idle_timeout | PT1H",
                "proxy.limits.body_idle_timeout | PT1M",
                "proxy.limits.min_body_rate_bytes | 16",
                "proxy.limits.half_closed_timeout | PT30S",
                "proxy.limits.linger_timeout | PT2S",
                "proxy.limits.relay_idle_timeout | PT1H",
                "proxy.limits.transform_timeout | PT10S",
                "proxy.limits.transform_body_timeout | PT1M",
                "proxy.limits.drain_timeout | PT30S",
                "proxy.limits.http2.max_concurrent_streams | 100",
                "proxy.limits.http2.stream_window_bytes | 256KiB",
                "proxy.limits.http2.max_resets | 200",
                "proxy.limits.http2.resets_per_second | 50",
                "proxy.limits.http2.max_control_frames | 20000",
                "proxy.limits.http2.control_frames_per_second | 5000",
                "proxy.upstream.connect_timeout | PT10S",
                "proxy.upstream.tls_handshake_timeout | PT10S",
                "proxy.upstream.idle_timeout | PT1M30S",
                "proxy.upstream.max_connection_age | PT10M",
                "proxy.upstream.max_idle_connections | 1024",
                "proxy.upstream.max_connections_per_origin | 1024",
                "proxy.upstream.max_waiting_per_origin | 1024",
                "proxy.upstream.wait_timeout | PT10S",
                "proxy.upstream.header_bytes | 64KiB",
                "tls.upstream_ca | null",
                "tls.passthrough | []",
                "log.audit.slots | 16384",
                "log.audit.stdout | null",
                "log.audit.file | null",
                "log.audit.rotate.size | 256MiB",
                "log.audit.rotate.age | PT24H",
                "log.audit.rotate.keep | null",
                "log.audit.chain | false",
                "log.audit.checkpoint.every | PT1S",
                "log.audit.checkpoint.records | 10000",
                "log.audit.checkpoint.key_file | null",
            })
    void defaultOf(String field, String expected) throws Exception {
        assertThat(String.valueOf(at(Load.config(Load.VALID), field))).isEqualTo(expected);
    }

    private static Object at(Object record, String path) throws Exception {
        Object value = record;
        for (String key : path.split("\\.", -1)) {
            Object from = value;
            RecordComponent component = Arrays.stream(from.getClass().getRecordComponents())
                    .filter(candidate ->
                            RecordShape.snakeCase(candidate.getName()).equals(key))
                    .findFirst()
                    .orElseThrow();
            component.getAccessor().setAccessible(true);
            value = component.getAccessor().invoke(from);
        }
        return value;
    }

    @Test
    void theManagementKeyHasADefaultVariable() {
        assertThat(Load.config(Load.VALID + "management: {listen: '127.0.0.1:9092'}\n")
                        .management())
                .isEqualTo(new ManagementSection(new ListenAddress("127.0.0.1", 9092), "PROXY_MANAGEMENT_API_KEY"));
    }

    @Test
    void anExplicitListOfDeniedRangesReplacesTheDefault() {
        assertThat(Load.config(Load.VALID + "proxy: {upstream_deny_cidrs: [10.0.0.0/8, 192.0.2.1]}\n")
                        .proxy()
                        .upstreamDenyCidrs())
                .hasToString("[10.0.0.0/8, 192.0.2.1/32]");
        assertThat(Load.config(Load.VALID + "proxy: {upstream_deny_cidrs: []}\n")
                        .proxy()
                        .upstreamDenyCidrs())
                .isEmpty();
        assertThat(Load.config(Load.VALID + "proxy: {upstream_deny_cidrs: }\n")
                        .proxy()
                        .upstreamDenyCidrs())
                .hasSize(4);
    }

    @Test
    void sniOnlyNeedsNoCa() {
        assertThat(Load.config("dns: {enabled: false}\ntls: {mode: sni-only}\n")
                        .tls()
                        .mode())
                .isEqualTo(TlsSection.Mode.SNI_ONLY);
    }

    @Test
    void listenersCanBeDisabled() {
        ProxyConfig config = Load.config(
                Load.VALID
                        + "proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: ':0'}\nmetrics: {listen: disabled}\n");
        assertThat(config.proxy().httpListen()).isNull();
        assertThat(config.proxy().httpsListen()).isNull();
        assertThat(config.proxy().tunnelListen()).isEqualTo(new ListenAddress("", 0));
        assertThat(config.metrics().listen()).isNull();
    }

    @Test
    void pathsAreRelativeToTheFolderOfTheFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("f.yaml"), Load.VALID + "# ok\n");
        ConfigResult.Loaded loaded = (ConfigResult.Loaded) ConfigLoader.load(file, Map.of(), Plugins.catalog());
        assertThat(loaded.config().tls().caCert()).isEqualTo(folder.resolve("ca.pem"));
        assertThat(Load.config("dns: {enabled: false}\ntls: {ca_cert: /x/ca.pem, ca_key: ../k}\n")
                        .tls())
                .extracting(TlsSection::caCert, TlsSection::caKey)
                .containsExactly(Path.of("/x/ca.pem"), Path.of("/etc/k"));
    }

    @Test
    void aWholeConfigurationIsBound() {
        ProxyConfig config = Load.config("""
                dns:
                  listen: 127.0.0.1:5353
                  proxy_ip: 192.0.2.1
                  proxy_ip6: 2001:db8::1
                  upstream_resolver: 192.0.2.53
                  passthrough: ["*.internal.example"]
                  records:
                    - {name: a.example, type: A, value: 192.0.2.7}
                    - {name: b.example, type: CNAME, value: a.example}
                proxy:
                  tunnel_listen: "[::1]:1080"
                  lint: strict
                  reload: {long_lived: recheck}
                  limits: {header_bytes: 32KiB, request_line_bytes: 8192}
                  auth:
                    required: true
                    users: [{name: ci, password: {type: env, var: CI_PASSWORD}}]
                tls: {ca_cert: a, ca_key: b}
                transforms:
                  - name: gate
                    config: {domains: ["*"]}
                  - name: gate
                mcp:
                  servers: [{name: x}]
                """);
        assertThat(config.dns().upstreamResolver()).hasToString("192.0.2.53:53");
        assertThat(config.dns().records()).hasSize(2);
        assertThat(config.proxy().limits().requestLineBytes()).isEqualTo(new ByteSize(8192));
        assertThat(config.proxy().lint()).isEqualTo(ProxySection.Lint.STRICT);
        assertThat(config.proxy().reload().longLived()).isEqualTo(ProxySection.LongLived.RECHECK);
        assertThat(config.proxy().auth().users().get(0).password().config()).isEqualTo(new Plugins.Env("CI_PASSWORD"));
        assertThat(config.transforms())
                .extracting(TransformEntry::pointer)
                .containsExactly("/transforms/0/config", "/transforms/1/config");
        assertThat(config.sections()).extracting(TransformEntry::name).containsExactly("mcp");
        assertThat(config.sections().get(0).config())
                .isEqualTo(new Plugins.Mcp(
                        new Plugins.McpError(-32001, "blocked"), List.of(new Plugins.Server("x", List.of()))));
    }

    @Test
    void aConfigurationPrintsWithoutWhatLeadsToSecrets() {
        assertThat(Load.config(
                        Load.VALID + "proxy: {auth: {users: [{name: ci, password: {type: env, var: CI_PASSWORD}}]}}\n"))
                .asString()
                .contains("password=SecretRef[env]")
                .doesNotContain("CI_PASSWORD");
    }
}

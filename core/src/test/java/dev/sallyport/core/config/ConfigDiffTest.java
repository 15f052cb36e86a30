package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigDiffTest {

    private final ProxyConfig running = Load.config(Load.VALID);

    @Test
    void equalConfigurationsHaveNoDifference() {
        assertThat(ConfigDiff.changed(running, Load.config("# other text\n" + Load.VALID)))
                .isEmpty();
    }

    @Test
    void changedFieldsAreNamed() {
        ProxyConfig next = Load.config("""
                dns: {proxy_ip: 192.0.2.2, passthrough: ["*.example"]}
                proxy: {http_listen: ":8080", tunnel_listen: ":1080", limits: {drain_timeout: 1s, header_bytes: 32KiB}}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms: [{name: gate}]
                management: {listen: "127.0.0.1:1"}
                log: {level: warn}
                """);
        assertThat(ConfigDiff.changed(running, next))
                .containsExactly(
                        "/dns/proxy_ip",
                        "/dns/passthrough",
                        "/proxy/http_listen",
                        "/proxy/tunnel_listen",
                        "/proxy/limits/header_bytes",
                        "/proxy/limits/drain_timeout",
                        "/management",
                        "/log/level");
    }
}

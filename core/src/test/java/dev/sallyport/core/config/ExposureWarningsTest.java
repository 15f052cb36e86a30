package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Listeners that nobody asked for (docs/spec/decisions.md, section 1). */
class ExposureWarningsTest {

    private static ConfigResult.Loaded load(String yaml, Map<String, String> environment) {
        ConfigResult result = Load.result(yaml, environment);
        assertThat(result.problems()).isEmpty();
        return (ConfigResult.Loaded) result;
    }

    private static String traffic(ConfigResult.Loaded loaded) {
        return ConfigReport.of(ExposureWarnings.ofTraffic(loaded.config(), loaded.places()));
    }

    @Test
    void theDefaultsOfTheSpecificationAreNamed() {
        ConfigResult.Loaded loaded = load("dns: {proxy_ip: 10.0.0.1}\ntls: {mode: sni-only}\n", Map.of());

        assertThat(traffic(loaded))
                .contains("/dns/listen: not set, so port 53 is open on all interfaces"
                        + " (expected: 127.0.0.1:53, disabled, or :53 if that is intended)\n")
                .contains("/proxy/http_listen: not set, so port 80 is open on all interfaces")
                .contains("/proxy/https_listen: not set, so port 443 is open on all interfaces")
                .doesNotContain("tunnel_listen");
        assertThat(ConfigReport.of(ExposureWarnings.ofMetrics(loaded.config(), loaded.places())))
                .contains("/metrics/listen: not set, so port 9090 is open on all interfaces");
    }

    @Test
    void whatIsNamedIsMeant() {
        ConfigResult.Loaded loaded = load("""
                        dns: {enabled: false}
                        proxy: {http_listen: ":80", https_listen: disabled, tunnel_listen: "0.0.0.0:3128"}
                        tls: {mode: sni-only}
                        metrics: {listen: ":9090"}
                        """, Map.of());

        assertThat(traffic(loaded)).isEmpty();
        assertThat(ExposureWarnings.ofMetrics(loaded.config(), loaded.places())).isEmpty();
    }

    @Test
    void aVariableNamesAListenerToo() {
        ConfigResult.Loaded loaded = load(
                "dns: {enabled: false}\nproxy: {https_listen: disabled}\ntls: {mode: sni-only}\n",
                Map.of("SALLYPORT_PROXY_HTTP_LISTEN", ":8080"));

        assertThat(traffic(loaded)).isEmpty();
    }
}

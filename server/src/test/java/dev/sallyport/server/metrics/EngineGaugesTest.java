package dev.sallyport.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the engine shows of itself, as Prometheus reads it. */
@Timeout(60)
class EngineGaugesTest {

    @TempDir
    Path folder;

    private final Telemetry telemetry = new Telemetry();

    @AfterEach
    void stop() {
        telemetry.close();
    }

    private void configure(Path file, String more) throws Exception {
        Files.writeString(file, """
                dns: {enabled: false}
                proxy: {http_listen: "127.0.0.1:0", https_listen: disabled}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                metrics: {listen: disabled}
                %s
                """.formatted(more));
    }

    private double value(String name) {
        return new String(telemetry.collect("").content(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name));
    }

    @Test
    void theEndOfTheAuthorityAndTheLastReloadAreShown() throws Exception {
        CertificateAuthority authority = CertificateAuthority.generate("Test CA", Duration.ofDays(1));
        authority.write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        Path file = folder.resolve("proxy.yaml");
        configure(file, "");
        try (EgressProxy proxy = EgressProxy.builder()
                .config(file)
                .catalog(PluginCatalog.of(List.of(), List.of()))
                .openTelemetry(telemetry)
                .build()) {
            proxy.start();
            assertThat(value("sallyport_ca_not_after_seconds")).isEqualTo((double)
                    authority.certificate().getNotAfter().toInstant().getEpochSecond());
            assertThat(value("sallyport_last_reload_seconds")).isZero();
            assertThat(value("sallyport_last_reload_successful")).isEqualTo(1);
            long before = Instant.now().getEpochSecond();

            configure(file, "nonsense: 1");
            assertThat(proxy.reload()).isInstanceOf(ReloadResult.Refused.class);
            assertThat(value("sallyport_last_reload_seconds"))
                    .isBetween((double) before, (double) Instant.now().getEpochSecond());
            assertThat(value("sallyport_last_reload_successful")).isZero();

            configure(file, "");
            assertThat(proxy.reload()).isInstanceOf(ReloadResult.Reloaded.class);
            assertThat(value("sallyport_last_reload_successful")).isEqualTo(1);
        }
    }

    @Test
    void theMetersCanBeCollectedOnceMoreWhenAllHasEnded() throws Exception {
        CertificateAuthority.generate("Test CA", Duration.ofDays(1))
                .write(folder.resolve("ca.pem"), folder.resolve("ca.key"));
        Path file = folder.resolve("proxy.yaml");
        configure(file, "");
        List<Double> last = new ArrayList<>();
        EgressProxy proxy = EgressProxy.builder()
                .config(file)
                .catalog(PluginCatalog.of(List.of(), List.of()))
                .openTelemetry(telemetry)
                .endListener(() -> last.add(value("sallyport_generation")))
                .build();
        proxy.start();

        proxy.close();
        proxy.close();

        assertThat(last).containsExactly(1.0);
        assertThatThrownBy(() -> value("sallyport_generation")).isInstanceOf(AssertionError.class);
    }
}

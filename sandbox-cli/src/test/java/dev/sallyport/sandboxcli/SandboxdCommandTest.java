package dev.sallyport.sandboxcli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.SectionFactory;
import dev.sallyport.sandbox.SandboxdOptions;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sallyport sandboxd -config FILE}: what it takes from a configuration, and what it says of one that it cannot use. */
class SandboxdCommandTest {

    private static final String LISTENERS =
            "dns: {listen: \":5353\", proxy_ip: 10.0.0.1}\nproxy: {http_listen: \":8080\", https_listen: disabled}\n";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    /** Stands in the place of the control plane's section. */
    record Control(Sandboxes sandboxes) implements SandboxdOptions {

        record Sandboxes(String driver, String dir) {}

        @Override
        public Optional<Map<String, String>> sandboxd(Gate gate) {
            if (sandboxes.driver().equals("fake")) {
                return Optional.empty();
            }
            Map<String, String> options = new HashMap<>(Map.of("driver", sandboxes.driver(), "dir", sandboxes.dir()));
            options.put("ports", gate.port() + "-" + gate.dnsPort());
            if (gate.authority() != null) {
                options.put("ca", gate.authority().toString());
            }
            return Optional.of(options);
        }
    }

    private static final class Factory implements SectionFactory<Control> {

        @Override
        public String section() {
            return "control";
        }

        @Override
        public Class<Control> configType() {
            return Control.class;
        }

        @Override
        public String summary() {
            return "A control plane.";
        }
    }

    private TestContext context() {
        return new TestContext(out, err, PluginCatalog.of(List.of(), List.of(), List.of(new Factory())));
    }

    private int run(String... arguments) throws InterruptedException {
        return new SandboxdCommand().run(List.of(arguments), context());
    }

    private String file(String lines) throws Exception {
        Path file = folder.resolve("proxy.yaml");
        Files.writeString(file, lines);
        return file.toString();
    }

    @Test
    void theSectionAndThePortsOfTheProxyAreItsSettings() throws Exception {
        String file = file(LISTENERS + "control: {sandboxes: {driver: magic, dir: /x}}\n");

        assertThat(new SandboxdFile(context()).read(Path.of(file)))
                .containsOnly(Map.entry("driver", "magic"), Map.entry("dir", "/x"), Map.entry("ports", "8080-5353"));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void listenersThatAreOffHaveNoPorts() throws Exception {
        String file = file("""
                dns: {enabled: false}
                proxy: {http_listen: disabled}
                control: {sandboxes: {driver: magic, dir: /x}}
                """);

        assertThat(new SandboxdFile(context()).read(Path.of(file))).containsEntry("ports", "0-0");
    }

    @ParameterizedTest
    @CsvSource({"mitm, true", "sni-only, false"})
    void theAuthorityIsThatOfAProxyThatInterceptsTls(String mode, boolean intercepts) throws Exception {
        String tls = "tls: {mode: " + mode + ", ca_cert: ca.pem, ca_key: ca.key}\n";
        String file = file(LISTENERS + tls + "control: {sandboxes: {driver: magic, dir: /x}}\n");

        assertThat(new SandboxdFile(context()).read(Path.of(file)).get("ca"))
                .isEqualTo(intercepts ? folder.resolve("ca.pem").toString() : null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-config", "--config", "-c"})
    void anOptionOverridesTheFile(String option) throws Exception {
        String file = file(LISTENERS + "control: {sandboxes: {driver: oci, dir: x}}\n");

        assertThat(run("--dir", "/y", option, file, "--driver", "oak")).isEqualTo(2);

        assertThat(err.toString())
                .as("what is wrong is what sandboxd was given besides")
                .contains("unknown setting ports")
                .doesNotContain("dir is no plain path");
    }

    @Test
    void whatIsWrongIsNamedWithItsPlace() throws Exception {
        String file = file(LISTENERS + "control:\n  sandboxes: {drover: oci}\ntransforms: [{name: none}]\n");

        assertThat(run("-config", file)).isEqualTo(1);

        assertThat(err)
                .hasToString("sallyport: " + file
                        + ":4:15: /control/sandboxes/drover: unknown key \"drover\" (expected: driver?)\n");
    }

    @Test
    void aFileThatIsNotThereAndOneOfNoControlPlaneAreNamed() throws Exception {
        assertThat(run("-config", folder.resolve("none.yaml").toString())).isEqualTo(1);
        assertThat(err.toString()).contains("none.yaml: no such file");

        assertThat(run("-config", file(LISTENERS))).isEqualTo(1);
        assertThat(err.toString()).contains("proxy.yaml: no section control (expected: control: {listen: ...})");
    }

    @Test
    void aDriverWithoutSandboxdIsNamed() throws Exception {
        String file = file(LISTENERS + "control: {sandboxes: {driver: fake}}\n");

        assertThat(run("-config", file)).isEqualTo(1);

        assertThat(err)
                .hasToString("sallyport: " + file
                        + ":3:31: /control/sandboxes/driver: VMs run without sandboxd (expected: auto, oci or qemu)\n");
    }

    @Test
    void wrongUsageIsNamed() throws Exception {
        assertThat(run("-config")).isEqualTo(2);
        assertThat(err.toString()).contains("unexpected argument -config");
        assertThat(run("-config", "a", "-c", "b")).isEqualTo(2);
        assertThat(err.toString()).contains("-config is there twice");
        assertThat(run("-config", "a", "--help")).isZero();
        assertThat(out.toString()).contains("[-config FILE]");
    }
}

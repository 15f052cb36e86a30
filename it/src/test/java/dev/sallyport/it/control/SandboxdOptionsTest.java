package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.sandbox.SandboxdOptions;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The control plane's section and sandboxd have the same settings, and the same defaults. */
class SandboxdOptionsTest {

    /** Of this process alone, which a file cannot know; and of a gate that intercepts TLS. */
    private static final List<String> NOT_USUAL = List.of("end_with_input", "ca_cert");

    private static Map<String, String> options(String sandboxes) {
        ConfigResult result = ConfigLoader.load(
                "f.yaml",
                "control: {listen: \"127.0.0.1:8090\", sandboxes: " + sandboxes + "}\n",
                Path.of("/etc/sallyport"),
                Map.of(),
                ControlSite.catalog());
        SandboxdOptions section = (SandboxdOptions) Objects.requireNonNull(result.draft()).companions().stream()
                .filter(entry -> entry.name().equals("control"))
                .findFirst()
                .orElseThrow()
                .config();
        return section.sandboxd(new SandboxdOptions.Gate(10_080, 10_053, null)).orElseThrow();
    }

    @Test
    void theDefaultsAreThoseOfSandboxd() {
        Map<String, String> expected = new HashMap<>(Sandboxd.DEFAULTS);
        expected.keySet().removeAll(NOT_USUAL);

        assertThat(options("{}")).isEqualTo(expected);
    }

    @Test
    void whatTheSectionTakesAtTheMostSandboxdTakes() throws Exception {
        Map<String, String> options = new HashMap<>(
                options(
                        "{dir: /a.b/c, subnet: 10.0.0.0/8, sandboxd: {id_base: 2147418111, gate_port: 65535, dns_port: 1, connections_per_vm: 1000000, snapshot_memory: true}}"));
        options.keySet().removeAll(List.of("socket", "user", "driver"));

        assertThat(HostSettings.of(options).snapshotMemory()).isTrue();
    }
}

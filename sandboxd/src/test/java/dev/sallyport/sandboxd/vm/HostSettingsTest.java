package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings, and what is wrong with them. */
class HostSettingsTest {

    @Test
    void defaultsAreWhole() throws Exception {
        HostSettings settings = HostSettings.of(Map.of());

        assertThat(settings.dir()).isEqualTo(Path.of("/var/lib/sallyport/sandboxes"));
        assertThat(settings.plan().gate()).isEqualTo("10.77.0.1");
        assertThat(settings.snapshotMemory()).isFalse();
        assertThat(HostSettings.of(Map.of("snapshot_memory", "true")).snapshotMemory())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "dir, relative",
        "dir, /a/../b",
        "dir, '/a:b'",
        "dir, '/a,b'",
        "dir, '/a b'",
        "cgroup, sallyport",
        "cgroup, /../x",
        "id_base, 1000",
        "id_base, many",
        "subnet, 10.77.0.0",
        "subnet, example.com/16",
        "gate_port, 0",
        "snapshot_memory, maybe",
        "colour, blue"
    })
    void aWrongSettingIsNamed(String name, String value) {
        assertThatThrownBy(() -> HostSettings.of(Map.of(name, value)))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
                .hasMessageContaining(name.replace("gate_port", "port"));
    }

    @Test
    void allProblemsComeAtOnce() {
        assertThatThrownBy(() -> HostSettings.of(Map.of("dir", "x", "colour", "blue", "id_base", "1")))
                .hasMessageContaining("dir is no plain path")
                .hasMessageContaining("unknown setting colour")
                .hasMessageContaining("id_base");
    }
}

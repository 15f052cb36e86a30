package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.vm.Cgroups;
import dev.sallyport.sandboxd.vm.HostSettings;
import dev.sallyport.sandboxd.vm.Kind;
import dev.sallyport.sandboxd.vm.Machine;
import dev.sallyport.sandboxd.vm.Platform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Driver {@code auto}: {@code oci}, else {@code qemu}, else none; docs/spec/decisions.md, section 16. */
class KindsTest {

    @TempDir
    Path dir;

    /** @param able whether this machine can run its VMs */
    private record TestKind(String name, boolean able) implements Kind {

        @Override
        public Availability check(HostSettings settings, Cgroups cgroups) {
            return able
                    ? new Availability.Available(List.of())
                    : new Availability.Unavailable(List.of("no machine for " + name));
        }

        @Override
        public Platform open(Machine machine) {
            throw new UnsupportedOperationException();
        }
    }

    private String chosen(String name, boolean oci, boolean qemu) throws Exception {
        return Kinds.choose(
                        name,
                        HostSettings.of(Map.of("dir", dir.toString())),
                        List.of(new TestKind("oci", oci), new TestKind("qemu", qemu)))
                .name();
    }

    @ParameterizedTest
    @CsvSource({
        "auto, true, true, oci",
        "auto, true, false, oci",
        "auto, false, true, qemu",
        "oci, false, true, oci",
        "qemu, true, false, qemu"
    })
    void containersGoBeforeMachinesWhereNobodyHasChosen(String name, boolean oci, boolean qemu, String kind)
            throws Exception {
        assertThat(chosen(name, oci, qemu)).isEqualTo(kind);
    }

    @Test
    void whereNeitherCanAllThatIsMissingIsTold() {
        assertThatThrownBy(() -> chosen("auto", false, false))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE))
                .hasMessage("driver oci: no machine for oci; driver qemu: no machine for qemu");
    }

    @Test
    void vmsThatAreThereStayWithTheirDriver() throws Exception {
        Files.createDirectories(dir.resolve("vms/vm_" + "0".repeat(26)));
        Files.writeString(dir.resolve("driver"), "qemu\n");

        assertThat(chosen("auto", true, true)).isEqualTo("qemu");
    }
}

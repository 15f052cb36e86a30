package dev.sallyport.sandboxcli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.MachineCheck;
import dev.sallyport.core.MachineCheck.Need;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** What {@code sallyport doctor --for sandboxes} finds, on whatever machine this is. */
class SandboxCheckTest {

    @Test
    void theDoctorFindsItAndEverythingThatADriverNeedsIsNamed() throws Exception {
        MachineCheck check = ServiceLoader.load(MachineCheck.class).findFirst().orElseThrow();
        assertThat(check.name()).isEqualTo("sandboxes");

        List<Need> needs = check.examine();

        assertThat(needs)
                .extracting(Need::name)
                .contains(
                        "root",
                        "control groups",
                        "system calls",
                        "namespaces",
                        "nft",
                        "mke2fs",
                        "runtime",
                        "loop devices")
                .contains("overlayfs", "disk", "mmdebstrap", "ssh", "kvm")
                .doesNotHaveDuplicates();
        assertThat(needs)
                .filteredOn(need -> !need.required())
                .extracting(Need::name)
                .contains("mmdebstrap", "ssh", "kvm", "qemu-system-x86_64", "qemu-img", "taps", "kernel")
                .doesNotContain("system calls", "nft", "mke2fs", "root");
        assertThat(needs).allSatisfy(need -> {
            assertThat(need.found()).isNotBlank();
            assertThat(need.remedy().isEmpty()).as(need.toString()).isEqualTo(need.met());
        });
    }
}

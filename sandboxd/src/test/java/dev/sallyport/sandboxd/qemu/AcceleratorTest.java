package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is thought of a machine's KVM. */
class AcceleratorTest {

    @TempDir
    Path root;

    @BeforeEach
    void machine() throws Exception {
        Files.createDirectories(root.resolve("sys/module"));
        Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("kvm"));
        cpu("fpu vme vmx smx");
    }

    private void cpu(String flags) throws Exception {
        Files.writeString(
                Files.createDirectories(root.resolve("proc")).resolve("cpuinfo"),
                "processor\t: 0\nflags\t\t: " + flags + "\nvmx flags\t: vnmi\n");
    }

    @Test
    void nothingSpeaksAgainstAPlainMachine() throws Exception {
        assertThat(Accelerator.against(root)).isEmpty();
        cpu("fpu svm");
        assertThat(Accelerator.against(root)).isEmpty();
    }

    @Test
    void kvmPvmIsRefusedWhateverElseThereIs() throws Exception {
        Files.createDirectory(root.resolve("sys/module/kvm_pvm"));

        assertThat(Accelerator.against(root)).contains("kvm_pvm");
    }

    @Test
    void withoutTheDeviceOrTheProcessorThereIsNone() throws Exception {
        cpu("fpu vme");
        assertThat(Accelerator.against(root)).contains("neither vmx nor svm");
        Files.delete(root.resolve("dev/kvm"));
        assertThat(Accelerator.against(root)).contains("no /dev/kvm");
    }

    @Test
    void theMachineThatIsTriedTurnsItselfOff() throws Exception {
        Tools.require("qemu-system-x86_64");

        Accelerator.boot("tcg", root);

        assertThat(root).isDirectoryNotContaining("glob:**.img");
        assertThatThrownBy(() -> Accelerator.boot("none", root)).isInstanceOf(CommandException.class);
    }
}

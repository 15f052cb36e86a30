package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmId;
import java.nio.file.Path;

/**
 * The files of a VM.
 *
 * @param home all that stays over a boot
 * @param run what ends with a boot: a file that names its first process
 */
public record VmFiles(Path home, Path run) {

    /** Of a VM. */
    public static VmFiles of(HostSettings settings, VmId id) {
        return new VmFiles(
                settings.vms().resolve(id.value()),
                settings.runDir().resolve("vms").resolve(id.value()));
    }

    /** What it is made of. Written last, so that a VM without it is half made. */
    Path description() {
        return description(home);
    }

    /** The same, of the VM with this folder. */
    public static Path description(Path home) {
        return home.resolve("vm.json");
    }

    /** The secret half of the key of its sshd. */
    Path hostKey() {
        return home.resolve("ssh_host_key.json");
    }
}

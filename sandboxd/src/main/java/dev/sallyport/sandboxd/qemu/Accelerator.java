package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What runs the processors of guests: the machine's own by KVM where a small machine has booted on it in time, else QEMU in
 * its place (TCG), which is slow. {@code /dev/kvm} being there says little: the module {@code kvm_pvm} answers as well, and
 * the kernels of distributions hang on it.
 *
 * @param kind which of them
 * @param reason why
 */
record Accelerator(Kind kind, String reason) {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Pattern FLAG = Pattern.compile("(?m)^flags\\s*:.*\\b(vmx|svm)\\b");

    /**
     * The first sector of a disk, which turns the machine off: {@code mov dx, 0x604; mov ax, 0x2000; out dx, ax; cli; hlt},
     * where the BIOS of a q35 has put the register for that.
     */
    private static final byte[] PROGRAM = {
        (byte) 0xBA, 0x04, 0x06, (byte) 0xB8, 0x00, 0x20, (byte) 0xEF, (byte) 0xFA, (byte) 0xF4
    };

    private static final int SECTOR = 512;

    /** The BIOS reads no disk of a sector. */
    private static final int DISK = 1 << 20;

    /** What there is. */
    enum Kind {
        /** The machine's own processors. */
        KVM,
        /** QEMU itself. */
        TCG
    }

    /** As it is told: {@code tcg (no /dev/kvm)}. */
    String told() {
        return kind.name().toLowerCase(Locale.ROOT) + " (" + reason + ")";
    }

    /** Looks at this machine, and has one boot. Blocks for ten seconds at most. */
    static Accelerator find(Path folder) throws IOException, InterruptedException {
        String against = against(Path.of("/"));
        if (!against.isEmpty()) {
            return new Accelerator(Kind.TCG, against);
        }
        try {
            boot("kvm", folder);
            return new Accelerator(Kind.KVM, "a machine has booted on it");
        } catch (CommandException e) {
            return new Accelerator(Kind.TCG, "no machine boots by KVM: " + e.getMessage());
        }
    }

    /**
     * What can be seen that speaks against KVM; empty for nothing.
     *
     * @param root above {@code dev}, {@code proc} and {@code sys}
     */
    static String against(Path root) throws IOException {
        if (!Files.exists(root.resolve("dev/kvm"))) {
            return "there is no /dev/kvm";
        }
        if (Files.exists(root.resolve("sys/module/kvm_pvm"))) {
            return "/dev/kvm is that of kvm_pvm, on which the kernels of guests hang";
        }
        return FLAG.matcher(Files.readString(root.resolve("proc/cpuinfo"))).find()
                ? ""
                : "the processor has neither vmx nor svm";
    }

    /**
     * Has a machine boot that turns itself off at once.
     *
     * @param folder for its disk
     * @throws CommandException when it has not done so within ten seconds
     */
    static void boot(String accelerator, Path folder) throws IOException, CommandException, InterruptedException {
        byte[] content = Arrays.copyOf(PROGRAM, DISK);
        content[SECTOR - 2] = 0x55;
        content[SECTOR - 1] = (byte) 0xAA;
        Path disk = Files.createTempFile(folder, ".probe", ".img");
        try {
            Files.write(disk, content);
            Command.of(List.of(
                            "qemu-system-x86_64",
                            "-accel",
                            accelerator,
                            "-machine",
                            "q35",
                            "-m",
                            "16M",
                            "-nodefaults",
                            "-no-user-config",
                            "-display",
                            "none",
                            "-no-reboot",
                            "-drive",
                            "if=ide,format=raw,readonly=off,file=" + disk))
                    .within(LIMIT)
                    .run();
        } finally {
            Files.deleteIfExists(disk);
        }
    }
}

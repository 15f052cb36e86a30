package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Collectors;

/** What has to be the same of two machines so that one can go on from the state of the other. */
final class Shape {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    private Shape() {}

    /**
     * As a line.
     *
     * @param qemu its version
     * @param kernel the digest of what has booted
     */
    static String of(VmLimits limits, Accelerator.Kind accelerator, String qemu, String kernel) throws IOException {
        return "form=%d memory=%d processors=%d accelerator=%s processor=%s kernel=%s qemu=%s"
                .formatted(
                        QemuArguments.FORM,
                        limits.memoryBytes() >> 20,
                        QemuArguments.processors(limits),
                        accelerator,
                        accelerator == Accelerator.Kind.KVM ? processor(Files.readString(PROCESSORS)) : "any",
                        kernel,
                        qemu.replace('\n', ' '));
    }

    /** Guests see the processor of the machine, and what the machine's kernel has of it. */
    static String processor(String told) {
        String same = told.lines()
                .takeWhile(line -> !line.isEmpty())
                .filter(line -> line.matches("(vendor_id|cpu family|model|model name|stepping|microcode|flags)\\s*:.*"))
                .collect(Collectors.joining("\n"));
        return HexFormat.of().formatHex(DiskForm.sha256().digest(same.getBytes(StandardCharsets.UTF_8)));
    }
}

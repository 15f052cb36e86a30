package dev.sallyport.sandboxcli;

import dev.sallyport.core.SubcommandContext;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.Kernels;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code sallyport sandbox kernel}. */
@Command(
        name = "kernel",
        description = "Make what guests of the driver qemu boot.",
        synopsisHeading = "Usage: ",
        synopsisSubcommandLabel = "COMMAND")
final class KernelCommand {

    private final SubcommandContext context;

    @Option(
            names = "--dir",
            paramLabel = "FOLDER",
            scope = ScopeType.INHERIT,
            description = "The folder of the sandboxes (sandboxd's --dir).")
    @Nullable String dir;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    boolean help;

    KernelCommand(SubcommandContext context) {
        this.context = context;
    }

    /** {@code build}. */
    @Command(
            name = "build",
            description = "Make kernel and first file system of Debian's packages, which are not installed.")
    int build(
            @Option(
                            names = "--from",
                            split = ",",
                            paramLabel = "FILE",
                            description =
                                    "Packages: one of a kernel for the cloud, and busybox-static. APT fetches them otherwise.")
                    @Nullable List<Path> from)
            throws IOException, VmException, InterruptedException {
        Kernels kernels = new Kernels(HostSettings.of(dir == null ? Map.of() : Map.of("dir", dir)));
        List<Path> packages = from == null
                ? List.of()
                : from.stream().map(Path::toAbsolutePath).toList();
        context.out().println(kernels.build(packages));
        return 0;
    }
}

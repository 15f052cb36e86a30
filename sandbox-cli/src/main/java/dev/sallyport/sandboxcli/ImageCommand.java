package dev.sallyport.sandboxcli;

import dev.sallyport.core.SubcommandContext;
import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandboxd.Images;
import dev.sallyport.sandboxd.vm.HostSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code sallyport sandbox image}. */
@Command(
        name = "image",
        description = "Build, list and remove images.",
        synopsisHeading = "Usage: ",
        synopsisSubcommandLabel = "COMMAND")
final class ImageCommand {

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

    @Spec
    @Nullable CommandSpec spec;

    ImageCommand(SubcommandContext context) {
        this.context = context;
    }

    /** {@code build}. */
    @Command(
            name = "build",
            description = "Bring in an image: of Debian by mmdebstrap, or a root file system from a tar file.")
    int build(
            @Parameters(paramLabel = "NAME", description = "The image's name, such as debian-12.") String name,
            @Option(names = "--from", paramLabel = "FILE", description = "A tar file: plain, gzip, xz or zstd.")
                    @Nullable Path from,
            @Option(names = "--suite", defaultValue = "bookworm", description = "Debian's release (${DEFAULT-VALUE}).")
                    String suite,
            @Option(names = "--include", split = ",", paramLabel = "PACKAGE", description = "More packages.") @Nullable List<String> include)
            throws IOException, VmException, InterruptedException {
        ImageName checked = name(name);
        if (from != null && !Files.isRegularFile(from)) {
            throw new IOException(from + ": " + (Files.exists(from) ? "not a file" : "no such file")
                    + " (expected: a tar file with a root file system)");
        }
        Images images = open();
        Image image = from == null
                ? images.build(checked, suite, include == null ? List.of() : include)
                : images.add(checked, from.toAbsolutePath());
        print(image);
        return 0;
    }

    /** {@code list}. */
    @Command(name = "list", description = "List the images that have a name.")
    int list() throws IOException, VmException {
        present().list().forEach(this::print);
        return 0;
    }

    /** {@code prune}. */
    @Command(name = "prune", description = "Remove images that neither a name nor a VM refers to.")
    int prune(
            @Option(names = "--all", description = "Also those that have a name, if no VM refers to them.") boolean all)
            throws IOException, VmException, InterruptedException {
        present().prune(all).forEach(digest -> context.out().println("removed " + digest));
        return 0;
    }

    /** Of a folder that is there: one that is not has nothing to show, and its name may be mistyped. */
    private Images present() throws IOException, VmException {
        if (dir != null && !Files.isDirectory(Path.of(dir))) {
            throw new IOException(dir + ": no such folder (expected: that of sandboxd)");
        }
        return open();
    }

    private Images open() throws IOException, VmException {
        return new Images(HostSettings.of(dir == null ? Map.of() : Map.of("dir", dir)));
    }

    private ImageName name(String text) {
        try {
            return new ImageName(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "name " + text + ": " + e.getMessage(), e);
        }
    }

    private void print(Image image) {
        context.out()
                .println(image.name() + "  " + image.digest() + "  " + image.sizeBytes() + "  " + image.createdAt());
    }
}

package dev.sallyport.sandboxd.image;

import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Makes an image of Debian by mmdebstrap, from where this machine's APT gets its packages. */
public final class ImageBuilder {

    /**
     * What every image has besides Debian's essential packages, to which since Debian 13 those for file systems do not belong:
     * with them a fork of a virtual machine takes the room that it has.
     */
    public static final List<String> PACKAGES =
            List.of("openssh-server", "ca-certificates", "curl", "e2fsprogs", "git", "iproute2", "openssl");

    private static final Pattern SUITE = Pattern.compile("[a-z][a-z0-9-]{1,30}");
    private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.-]{1,100}");
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private final ImageStore store;

    /** @param store where images go */
    public ImageBuilder(ImageStore store) {
        this.store = store;
    }

    /**
     * Makes one.
     *
     * @param suite Debian's name of the release, such as {@code bookworm}
     * @param more packages besides {@link #PACKAGES}
     */
    public Image build(ImageName name, String suite, List<String> more)
            throws IOException, VmException, InterruptedException {
        List<String> packages = new ArrayList<>(PACKAGES);
        packages.addAll(more);
        if (!SUITE.matcher(suite).matches()
                || !packages.stream().allMatch(wanted -> PACKAGE.matcher(wanted).matches())) {
            throw new VmException(Reason.INVALID, "the name of the suite or of a package is none of Debian's");
        }
        Path archive = Files.createTempFile("sallyport-image", ".tar");
        try {
            Command.of(
                            "mmdebstrap",
                            "--variant=minbase",
                            "--include=" + String.join(",", packages),
                            suite,
                            archive.toString())
                    .within(LIMIT)
                    .run();
            return store.add(name, archive);
        } catch (CommandException e) {
            throw new VmException(Reason.FAILED, e.getMessage() + " (mmdebstrap comes with the package mmdebstrap)", e);
        } finally {
            Files.deleteIfExists(archive);
        }
    }
}

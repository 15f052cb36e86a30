package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * The disk of a guest, mounted without one.
 *
 * @param content what is in the file on it
 */
record MountedDisk(ContainerFiles files, GuestFileSystem fileSystem, byte[] content) implements AutoCloseable {

    /** How much that is. */
    static final int WRITTEN = 16 << 20;

    /** The size of the disk. */
    static final int SIZE = 64 << 20;

    /** Makes one in a folder, which is empty. */
    static MountedDisk make(Path home) throws Exception {
        Tools.require("mke2fs", "sync");
        ContainerFiles files = new ContainerFiles(home, Files.createDirectory(home.resolve("run")));
        GuestFileSystem fileSystem = new GuestFileSystem(files, IdRange.DEFAULT, new FormattedDisks());
        Files.writeString(files.description(), "{}");
        fileSystem.makeDisk(SIZE);
        Files.createDirectory(files.guestLayer());
        Path lower = Files.createDirectory(home.resolve("image"));
        fileSystem.mount(List.of(lower));
        byte[] content = new byte[WRITTEN];
        new Random(1).nextBytes(content);
        Files.write(files.root().resolve("file"), content);
        return new MountedDisk(files, fileSystem, content);
    }

    @Override
    public void close() throws Exception {
        fileSystem.unmount();
    }
}

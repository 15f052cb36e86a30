package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Mounts;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a disk that no guest has, on file systems with shared blocks and without. */
class SharedCopyTest {

    private static final int WRITTEN = 16 << 20;

    @TempDir
    Path folder;

    private record Disk(ContainerFiles files, GuestFileSystem fileSystem, byte[] content) implements AutoCloseable {

        static Disk make(Path home) throws Exception {
            Tools.require("mke2fs", "mount", "sync");
            ContainerFiles files = new ContainerFiles(home);
            GuestFileSystem fileSystem = new GuestFileSystem(files, IdRange.DEFAULT);
            Files.writeString(files.config(), "{}");
            fileSystem.makeDisk(64 << 20);
            Files.createDirectory(files.guestLayer());
            Path lower = Files.createDirectory(home.resolve("image"));
            fileSystem.mount(List.of(lower));
            byte[] content = new byte[WRITTEN];
            new Random(1).nextBytes(content);
            Files.write(files.root().resolve("file"), content);
            return new Disk(files, fileSystem, content);
        }

        SharedCopy prepare() throws Exception {
            return SharedCopy.prepare(files, IdRange.DEFAULT);
        }

        @Override
        public void close() throws Exception {
            fileSystem.unmount();
        }
    }

    @Test
    void aCopyHasWhatWasWrittenAndNoBlocksOfItsOwn() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.open();
                Disk disk = Disk.make(Files.createDirectory(host.root().resolve("vm")))) {
            try (SharedCopy copy = disk.prepare()) {
                long before = host.free();
                assertThat(copy.take()).isTrue();
                assertThat(before - host.free()).isLessThan(WRITTEN / 8);
                assertThat(host.extents(disk.files().copy())).contains("shared");

                Path written = copy.mount();
                Files.write(disk.files().root().resolve("file"), new byte[] {1});

                assertThat(Files.readAllBytes(written.resolve("file"))).isEqualTo(disk.content());
                assertThat(disk.files().copy()).doesNotExist();
            }
            assertThat(Mounts.under(disk.files().mountedCopy())).isEmpty();
        }
    }

    @Test
    void whatAKilledProcessHasLeftIsRemovedBeforeTheNextCopy() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.open();
                Disk disk = Disk.make(Files.createDirectory(host.root().resolve("vm")))) {
            SharedCopy left = disk.prepare();
            assertThat(left.take()).isTrue();
            left.mount();
            Files.writeString(disk.files().copy(), "left");

            try (SharedCopy copy = disk.prepare()) {
                assertThat(Mounts.under(disk.files().mountedCopy())).isEmpty();
                assertThat(copy.take()).isTrue();
                assertThat(copy.mount().resolve("file")).exists();
            }
        }
    }

    @Test
    void aFileSystemWithoutSharedBlocksHasNoCopy() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        try (Disk disk = Disk.make(Files.createDirectory(folder.resolve("vm")))) {
            assumeTrue(!"xfs btrfs".contains(Files.getFileStore(folder).type()), "needs a file system without");
            try (SharedCopy copy = disk.prepare()) {
                assertThat(copy.take()).isFalse();
                assertThat(disk.files().copy()).doesNotExist();
            }
        }
    }
}

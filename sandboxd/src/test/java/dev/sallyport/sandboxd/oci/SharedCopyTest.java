package dev.sallyport.sandboxd.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.Mounts;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a disk that no guest has, on file systems with shared blocks and without. */
class SharedCopyTest {

    @TempDir
    Path folder;

    @Test
    void aCopyHasWhatWasWrittenAndNoBlocksOfItsOwn() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.xfs();
                MountedDisk disk =
                        MountedDisk.make(Files.createDirectory(host.root().resolve("vm")))) {
            try (SharedCopy copy = SharedCopy.prepare(disk.files(), IdRange.DEFAULT)) {
                long before = host.free();
                assertThat(copy.take()).isTrue();
                assertThat(before - host.free()).isLessThan(MountedDisk.WRITTEN / 8);
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
        try (SharingFileSystem host = SharingFileSystem.xfs();
                MountedDisk disk =
                        MountedDisk.make(Files.createDirectory(host.root().resolve("vm")))) {
            SharedCopy left = SharedCopy.prepare(disk.files(), IdRange.DEFAULT);
            assertThat(left.take()).isTrue();
            left.mount();
            Files.writeString(disk.files().copy(), "left");

            try (SharedCopy copy = SharedCopy.prepare(disk.files(), IdRange.DEFAULT)) {
                assertThat(Mounts.under(disk.files().mountedCopy())).isEmpty();
                assertThat(copy.take()).isTrue();
                assertThat(copy.mount().resolve("file")).exists();
            }
        }
    }

    @Test
    void aFileSystemWithoutSharedBlocksHasNoCopy() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        try (MountedDisk disk = MountedDisk.make(Files.createDirectory(folder.resolve("vm")))) {
            assumeTrue(!"xfs btrfs".contains(Files.getFileStore(folder).type()), "needs a file system without");
            try (SharedCopy copy = SharedCopy.prepare(disk.files(), IdRange.DEFAULT)) {
                assertThat(copy.take()).isFalse();
                assertThat(disk.files().copy()).doesNotExist();
            }
        }
    }

    /** What they share would be the room of both of them, for as long as the guest leaves a block of it as it was. */
    @Test
    void onBtrfsThereIsNoCopy() throws Exception {
        try (SharingFileSystem host = SharingFileSystem.btrfs();
                MountedDisk disk =
                        MountedDisk.make(Files.createDirectory(host.root().resolve("vm")));
                SharedCopy copy = SharedCopy.prepare(disk.files(), IdRange.DEFAULT)) {
            assertThat(copy.take()).isFalse();
            assertThat(disk.files().copy()).doesNotExist();
        }
    }
}

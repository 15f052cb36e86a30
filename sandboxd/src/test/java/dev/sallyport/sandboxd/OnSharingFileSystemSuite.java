package dev.sallyport.sandboxd;

import dev.sallyport.sandboxd.system.SharingFileSystem;
import org.junit.jupiter.api.AfterAll;

/** Snapshots of guests of the driver {@code oci} on a file system of their own. */
abstract class OnSharingFileSystemSuite extends SnapshotSuite {

    SharingFileSystem fileSystem;

    /** Makes the file system. */
    abstract SharingFileSystem make() throws Exception;

    @Override
    Host open() throws Exception {
        fileSystem = make();
        return Host.openAt(fileSystem.root());
    }

    @Override
    @AfterAll
    void close() throws Exception {
        super.close();
        if (fileSystem != null) {
            fileSystem.close();
        }
    }
}

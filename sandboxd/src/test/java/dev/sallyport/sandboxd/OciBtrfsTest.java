package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of guests of the driver {@code oci} on btrfs, and how much a guest can take of it. */
@Tag("long")
class OciBtrfsTest extends OnSharingFileSystemSuite {

    @Override
    SharingFileSystem make() throws Exception {
        return SharingFileSystem.btrfs();
    }

    @Test
    void theDiskHasItsLimitOfBytesAndOfFilesHoweverItIsWritten() throws Exception {
        VmId id = host.boot(2);
        long before = fileSystem.free();

        assertThat(host.ssh(2, Bare.perl(SharingFileSystem.PIN))).isEmpty();
        assertThat(before - fileSystem.free()).isLessThan(80L << 20);
        host.snapshot(0, id);
        host.driver().discard(Host.snapshotId(0));
        assertThat(host.ssh(2, Bare.perl(SharingFileSystem.PIN))).isEmpty();
        assertThat(before - fileSystem.free()).as("after a snapshot").isLessThan(80L << 20);
        assertThat(host.ssh(2, "dd if=/dev/zero of=/root/big bs=1M count=500 2>&1; rm -f /root/big"))
                .contains("No space left");
        assertThat(host.ssh(
                        2,
                        "mkdir /root/many && cd /root/many && perl -e "
                                + "'for (1..1000000) { open(F, \">\", $_) or do { print \"stopped: $!\"; exit } }'"))
                .contains("No space left");
        assertThat(before - fileSystem.free()).isLessThan(80L << 20);
    }
}

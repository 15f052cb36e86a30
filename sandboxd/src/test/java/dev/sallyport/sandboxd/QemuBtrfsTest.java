package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guests of the driver {@code qemu} on btrfs. */
@Tag("long")
class QemuBtrfsTest {

    @Test
    void aGuestTakesNoMoreThanItsDiskHoweverItIsWrittenAndHasForks() throws Exception {
        try (SharingFileSystem fileSystem = SharingFileSystem.btrfs();
                Host host = Host.openQemuAt(fileSystem.root())) {
            VmId source = host.boot(2);
            host.ssh(2, "echo kept > /root/kept; sync");
            long before = fileSystem.free();

            assertThat(host.ssh(2, Bare.perl(SharingFileSystem.PIN))).isEmpty();
            assertThat(before - fileSystem.free()).isLessThan(80L << 20);
            host.fork(3, host.snapshot(0, source));

            assertThat(host.ssh(3, "cat /root/kept")).isEqualTo("kept\n");
            host.removeAll();
            assertThat(host.traces()).isEmpty();
        }
    }
}

package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.SharingFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of guests of the driver {@code oci} on a file system whose files share blocks. */
@Tag("long")
class OciSharingTest extends OnSharingFileSystemSuite {

    @Override
    SharingFileSystem make() throws Exception {
        return SharingFileSystem.xfs();
    }

    @Test
    void aGuestGoesOnWhileItsCopyIsRead() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, "echo kept > /root/kept");

        host.fork(3, host.snapshot(0, source));

        assertThat(host.log()).contains(source + " goes on while a copy of its disk is read");
        assertThat(host.ssh(3, "cat /root/kept")).isEqualTo("kept\n");
    }
}

package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of guests of the driver {@code qemu}. */
@Tag("long")
class QemuSnapshotTest extends SnapshotSuite {

    @Override
    Host open() throws Exception {
        return Host.openQemu();
    }

    @Test
    void whatIsTheParentsOwnIsNotOnItsDisk() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, """
                echo 'export TOKEN=parent' >> /etc/profile.d/sallyport.sh; echo parent > /etc/hostname
                echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA other' >> /root/.ssh/authorized_keys""");
        String key =
                host.ssh(2, "sed -n 4p /etc/ssh/sallyport_host_ed25519_key").strip();
        assertThat(key).hasSizeGreaterThan(40);
        String machine = host.ssh(2, "cat /etc/machine-id").strip();

        host.fork(3, host.snapshot(0, source));

        assertThat(host.ssh(
                        3,
                        ". /etc/profile; echo $TOKEN; cat /etc/hostname; wc -l < /root/.ssh/authorized_keys;"
                                + " cat /etc/resolv.conf"))
                .isEqualTo("it's a placeholder\nguest3\n1\nnameserver 10.77.0.1\n");
        Path disk = layers().getFirst().resolve("disk.qcow2");
        for (String secret : new String[] {key, machine, "AAAAAAAAAAA other"}) {
            assertThat(host.run("sh", "-c", "grep -c -a -F '" + secret + "' " + disk + " || true"))
                    .isEqualTo("0\n");
        }
    }

    @Test
    void linksOfTheParentsHoldNoForkUp() throws Exception {
        VmId source = host.boot(2);
        host.ssh(
                2,
                "umount /etc/ssh/*; umount /root/.ssh/*; rm -rf /etc/ssh /root/.ssh; ln -s /opt /etc/ssh;"
                        + " ln -s /nowhere /root/.ssh");

        host.fork(3, host.snapshot(0, source));

        assertThat(host.ssh(3, "ls /etc/ssh /root/.ssh; ls -A /opt"))
                .contains("sallyport_sshd_config", "authorized_keys");
    }

    @Test
    void aForkHasARoomOfItsOwnOnItsDisk() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, "dd if=/dev/zero of=/root/full bs=1M count=55 2>/dev/null");

        host.fork(3, host.snapshot(0, source));

        assertThat(host.ssh(3, "dd if=/dev/zero of=/root/more bs=1M count=55 2>/dev/null && sync && echo written"))
                .isEqualTo("written\n");
    }

    @Test
    void aLayerThatIsNotWhatItWasMakesNoVm() throws Exception {
        VmId source = host.boot(2);
        SnapshotId snapshot = host.snapshot(0, source);
        host.killSandboxd();
        Path disk = layers().getFirst().resolve("disk.qcow2");
        byte[] whole = Files.readAllBytes(disk);
        whole[whole.length - 1]++;
        Files.write(disk, whole);

        host.startSandboxd();

        refused(() -> host.createFork(4, snapshot), Reason.FAILED);
        assertThat(host.driver().observe(Host.id(4))).isEqualTo(new Observed.Absent());
    }

    @Test
    void aGuestStandsStillNoLongerWhenSandboxdIsKilledMeanwhile() throws Exception {
        VmId source = host.boot(2);
        host.killSandboxd();
        host.run("python3", "-c", """
                import json, socket
                s = socket.socket(socket.AF_UNIX); s.connect("/run/sandboxd/qemu/%s/qmp"); f = s.makefile("rw")
                for c in "qmp_capabilities", "stop":
                    f.write(json.dumps({"execute": c}) + "\\n"); f.flush()
                    while "return" not in f.readline(): pass
                """.formatted(source));

        host.startSandboxd();

        assertThat(host.ssh(2, "echo here")).isEqualTo("here\n");
    }
}

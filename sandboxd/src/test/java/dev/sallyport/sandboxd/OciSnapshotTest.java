package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of guests of the driver {@code oci}. */
@Tag("long")
class OciSnapshotTest extends SnapshotSuite {

    @Override
    Host open() throws Exception {
        return Host.open();
    }

    @Test
    void whatIsTheParentsOwnIsNotInItsSnapshotEvenWhereItHasTouchedIt() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, """
                chmod 600 /etc/ssh/sallyport_host_ed25519_key; chmod 644 /etc/machine-id
                echo 'export TOKEN=parent' >> /etc/profile.d/sallyport.sh; echo parent > /etc/hostname
                echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA other' >> /root/.ssh/authorized_keys
                echo 'MaxSessions 1' >> /etc/ssh/sallyport_sshd_config; rm /etc/resolv.conf""");
        String parent = host.ssh(2, "cat /etc/ssh/sallyport_host_ed25519_key /etc/machine-id");

        host.fork(3, host.snapshot(0, source));

        assertThat(host.ssh(3, "cat /etc/ssh/sallyport_host_ed25519_key /etc/machine-id"))
                .contains("BEGIN OPENSSH PRIVATE KEY")
                .isNotEqualTo(parent);
        assertThat(host.ssh(
                        3,
                        ". /etc/profile; echo $TOKEN; cat /etc/hostname; wc -l < /root/.ssh/authorized_keys;"
                                + " grep -c MaxSessions /etc/ssh/sallyport_sshd_config; cat /etc/resolv.conf"))
                .isEqualTo("it's a placeholder\nguest3\n1\n0\nnameserver 10.77.0.1\n");
        Path tree = layers().getFirst().resolve("rootfs");
        for (String file : List.of(
                "etc/ssh/sallyport_host_ed25519_key",
                "etc/ssh/sallyport_sshd_config",
                "etc/machine-id",
                "etc/hostname",
                "etc/resolv.conf",
                "etc/profile.d/sallyport.sh",
                "root/.ssh/authorized_keys")) {
            assertThat(tree.resolve(file)).doesNotExist();
        }
    }

    @Test
    void aLinkOfTheGuestsLeadsNeitherReadNorWriteToTheHost() throws Exception {
        VmId source = host.boot(2);
        Path target = Files.createDirectory(host.folder().resolve("secret"));
        Files.writeString(target.resolve("key"), "the host's own");
        host.ssh(
                2,
                "rm -rf /etc/ssh /root/.ssh /opt; ln -s %1$s /etc/ssh; ln -s %1$s /root/.ssh; ln -s %1$s /opt"
                        .formatted(target));

        SnapshotId snapshot = host.snapshot(0, source);

        Path tree = layers().getFirst().resolve("rootfs");
        assertThat(tree.resolve("opt")).isSymbolicLink();
        assertThat(tree.resolve("etc/ssh")).isSymbolicLink();
        assertThat(host.run("grep", "-rl", "the host.s own", host.folder() + "/layers", host.folder() + "/secret"))
                .isEqualTo(target.resolve("key") + "\n");
        host.fork(3, snapshot);
        assertThat(host.ssh(3, "ls /opt/key 2>&1; ls /etc/ssh /root/.ssh"))
                .contains("No such file", "sallyport_sshd_config", "authorized_keys");
        assertThat(target).isDirectoryContaining(file -> file.endsWith("key"));
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void hardLinksDoNotFillTheHostsDisk() throws Exception {
        VmId source = host.boot(2);
        assertThat(host.ssh(2, """
                        set -e
                        cd /opt; long=$(printf 'n%.0s' $(seq 250)); deep=.
                        for i in $(seq 12); do deep=$deep/$long; done
                        mkdir -p "$deep"; cd "$deep"; mkdir d
                        for i in $(seq 500); do : > d/$i; done
                        for i in $(seq 60); do cp -al d d$i; done
                        echo done""")).isEqualTo("done\n");

        refused(() -> host.driver().capture(Host.snapshotId(0), source), Reason.FAILED);

        assertThat(host.driver().snapshots()).isEmpty();
        assertThat(host.ssh(2, "echo here")).isEqualTo("here\n");
    }

    @Test
    void aLayerThatIsNotWhatItWasMakesNoVm() throws Exception {
        VmId source = host.boot(2);
        host.ssh(2, "echo true > /root/file");
        SnapshotId snapshot = host.snapshot(0, source);
        host.fork(3, snapshot);
        host.killSandboxd();
        Path file = layers().getFirst().resolve("rootfs/root/file");
        host.run(
                "sh",
                "-c",
                "touch -r %1$s %2$s/stamp; printf 'lies\\n' > %1$s; touch -r %2$s/stamp %1$s"
                        .formatted(file, host.folder()));

        host.startSandboxd();

        refused(() -> host.createFork(4, snapshot), Reason.FAILED);
        assertThat(host.driver().observe(Host.id(4))).isEqualTo(new Observed.Absent());
        host.run(
                "sh",
                "-c",
                "printf 'true\\n' > %1$s; touch -r %2$s/stamp %1$s; rm %2$s/stamp".formatted(file, host.folder()));
        host.fork(4, snapshot);
        assertThat(host.ssh(4, "cat /root/file")).isEqualTo("true\n");
    }

    @Test
    void aGuestStandsStillNoLongerWhenSandboxdIsKilledMeanwhile() throws Exception {
        VmId source = host.boot(2);
        String group = host.run(
                        "sh",
                        "-c",
                        "find /sys/fs/cgroup -path '*/" + source + "/freezer.state' -o -path '*/" + source
                                + "/cgroup.freeze' | head -1")
                .strip();
        host.killSandboxd();
        host.run("sh", "-c", "case %1$s in *state) echo FROZEN > %1$s;; *) echo 1 > %1$s;; esac".formatted(group));

        host.startSandboxd();

        assertThat(host.ssh(2, "echo here")).isEqualTo("here\n");
    }
}

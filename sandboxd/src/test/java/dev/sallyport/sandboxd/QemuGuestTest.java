package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandbox.VmSpec;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guests of the driver {@code qemu}. */
@Tag("long")
class QemuGuestTest extends GuestSuite {

    @Override
    Host open() throws Exception {
        return Host.openQemu();
    }

    @Test
    void whatRunsItIsTold() throws Exception {
        assertThat(host.driver().availability())
                .isInstanceOfSatisfying(
                        Availability.Available.class,
                        available -> assertThat(available.details())
                                .contains("driver: qemu")
                                .anyMatch(detail -> detail.startsWith("accelerator: "))
                                .anyMatch(detail -> detail.startsWith("kernel: ")));
    }

    @Test
    void anAddressOfAnotherIsDropped() throws Exception {
        VmId id = host.boot(2);

        assertThat(host.ssh(2, """
                ip address add 10.77.0.9/32 dev eth0
                perl -MIO::Socket::INET -e '
                IO::Socket::INET->new(Proto => "udp", LocalAddr => "10.77.0.9", PeerAddr => "192.0.2.53:53")->send("x");
                print "sent"'""")).isEqualTo("sent");

        assertThat(host.driver().refused(id).spoofed()).isEqualTo(1);
    }

    @Test
    void qemuIsNobodyAndHasNoNetwork() throws Exception {
        host.boot(2);
        String pid = host.run("pgrep", "-f", "qemu-system-x86_64 -name " + Host.id(2))
                .strip();

        assertThat(host.run("grep", "-E", "^(Uid|Gid|CapEff|NoNewPrivs|Seccomp):", "/proc/" + pid + "/status")
                        .lines()
                        .map(line -> line.replaceAll("\\s+", " ")))
                .containsExactly(
                        "Uid: 1879048194 1879048194 1879048194 1879048194",
                        "Gid: 1879048194 1879048194 1879048194 1879048194",
                        "CapEff: 0000000000000000",
                        "NoNewPrivs: 1",
                        "Seccomp: 2");
        assertThat(host.run("nsenter", "--net=/proc/" + pid + "/ns/net", "ip", "-o", "link", "show"))
                .hasLineCount(1)
                .contains(": lo:", "state DOWN");
    }

    @Test
    void memoryAndDiskAndProcessesHaveALimit() throws Exception {
        host.boot(2);

        assertThat(host.ssh(2, "perl -e '$x = \"a\" x 500_000_000; print length $x' 2>&1; echo code $?"))
                .doesNotContain("500000000");
        assertThat(host.ssh(2, "dd if=/dev/zero of=/root/big bs=1M count=500 2>&1; rm -f /root/big"))
                .contains("No space left");
        assertThat(host.ssh(2, "bash -c 'for i in $(seq 400); do sleep 20 & done' 2>&1; true"))
                .contains("Resource temporarily unavailable");
        assertThat(host.run("sh", "-c", "echo the host starts processes")).isEqualTo("the host starts processes\n");
    }

    @Test
    void oneThatWouldNotBootIsNotMade() throws Exception {
        VmSpec spec = host.spec(2);
        VmLimits small = new VmLimits(64 << 20, 1000, 64, 64 << 20);

        assertThatThrownBy(() -> host.driver()
                        .create(Host.id(2), new VmSpec(spec.origin(), small, spec.network(), spec.guest())))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID));
    }

    @Test
    void aGuestThatHangsIsKilledAfterItsGrace() throws Exception {
        VmId id = host.boot(2);
        host.ssh(2, "kill -STOP $(pgrep -f agent.sh)");

        host.driver().stop(id, Duration.ofSeconds(1));

        assertThat(host.driver().observe(id)).isEqualTo(new Observed.Stopped());
        assertThat(host.traces()).containsOnlyKeys("files");
    }

    @Test
    void aDiskThatSaysItLiesOnAFileOfTheHostsIsNotStarted() throws Exception {
        VmId id = host.boot(2);
        host.driver().stop(id, Duration.ZERO);
        Path disk = host.folder().resolve("vms").resolve(id.value()).resolve("disk.qcow2");
        host.run("qemu-img", "rebase", "-u", "-f", "qcow2", "-b", "/etc/passwd", "-F", "raw", disk.toString());

        assertThatThrownBy(() -> host.driver().start(id))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FAILED))
                .hasMessageContaining("not what it was made as");

        assertThat(host.driver().observe(id)).isEqualTo(new Observed.Stopped());
        assertThat(host.traces()).containsOnlyKeys("files");
    }
}

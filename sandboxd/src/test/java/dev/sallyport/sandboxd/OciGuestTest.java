package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.GuestTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guests of the driver {@code oci}. */
@Tag("long")
class OciGuestTest extends GuestSuite {

    @Override
    Host open() throws Exception {
        return Host.open();
    }

    @Test
    void aTaskHasTheRightsOfALoginAndNoOthers() throws Exception {
        VmId id = host.boot(2);
        TaskName name = new TaskName("look");
        String look =
                "grep -E '^(Uid|Cap|NoNewPrivs|Seccomp)' /proc/self/status; cat /proc/self/cgroup /proc/self/oom_score_adj;"
                        + " ulimit -n; cd /proc/self/ns && readlink cgroup ipc mnt net pid user uts";

        host.driver().run(id, name, new GuestTask(List.of("bash", "-c", look), Duration.ofMinutes(1)));

        assertThat(text(awaitEnd(id, name)))
                .contains("Seccomp:\t2\n", "NoNewPrivs:\t1\n")
                .isEqualTo(host.ssh(2, look));
    }

    /** Its shell is the guest's own. */
    @Test
    void aShellThatLeavesOthersBehindOrDoesNotEndHoldsNobodyUp() throws Exception {
        VmId id = host.boot(2);
        String ofTask = "#!/bin/real\\n[ \"$3\" != sallyport-task ] || ";
        String become =
                "\\nexec /bin/real \"$@\"\\n' > /bin/another; chmod 755 /bin/another && mv /bin/another /bin/sh";
        host.ssh(2, "cp /bin/sh /bin/real; printf '" + ofTask + "{ /bin/sleep 3600 <&0 & /bin/yes & }" + become);

        GuestVariables large = new GuestVariables(Map.of("TOKEN", "x".repeat(100_000)));
        if (host.runtime().equals("crun")) {
            host.driver().refresh(id, large);
            assertThat(host.ssh(2, ". /etc/profile; printf %s $TOKEN | wc -c")).isEqualTo("100000\n");
        } else {
            assertGivenUp(id, large); // runc waits for those, too
        }
        host.ssh(2, "printf '" + ofTask + "exec /bin/sleep 3600" + become);
        assertGivenUp(id, large);

        assertThat(host.ssh(2, "echo here")).isEqualTo("here\n");
    }

    private static void assertGivenUp(VmId id, GuestVariables variables) {
        assertThatThrownBy(() -> host.driver().refresh(id, variables))
                .isInstanceOf(VmException.class)
                .hasMessageContaining("took more than 15 s");
    }

    @Test
    void anAddressOfAnotherIsDropped() throws Exception {
        VmId id = host.boot(2);

        // The guest cannot; somebody outside who could is stopped all the same.
        assertThat(host.ssh(2, "ip address add 10.77.0.9/32 dev eth0 2>&1; ip link set eth0 down 2>&1"))
                .contains("Operation not permitted")
                .doesNotContain("No such");
        host.run("ip", "-n", "sallyport-2", "address", "add", "10.77.0.9/32", "dev", "eth0");
        host.run(
                "nsenter",
                "--net=/run/netns/sallyport-2",
                "python3",
                "-c",
                "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((\"10.77.0.9\", 0));"
                        + " s.sendto(b\"x\", (\"192.0.2.53\", 53))");

        assertThat(host.driver().refused(id).spoofed()).isEqualTo(1);
        host.awaitLog(id + " is refused udp 192.0.2.53:53 from 10.77.0.9, which is not its address");
    }

    @Test
    void aLinkOfTheGuestsLeadsNoWriteToTheHost() throws Exception {
        VmId id = host.boot(2);
        Path target = Files.createDirectory(host.folder().resolve("target"));
        host.ssh(2, "rm -rf /etc/ssh /root/.ssh; ln -s " + target + " /etc/ssh; ln -s " + target + " /root/.ssh; sync");
        Path link = Host.run(id).resolve("disk/upper/etc/ssh");
        assertThat(host.run("readlink", link.toString()).strip()).isEqualTo(target.toString());

        host.driver().stop(id, Duration.ZERO);
        host.driver().start(id);

        assertThat(target).isEmptyDirectory();
    }

    @Test
    void whatWasBeingWrittenAboutARunThatNobodyKnowsIsRemoved() throws Exception {
        host.killSandboxd();
        host.run("touch", GuestTraces.RUN_FOLDER + "/vms/." + Host.id(2) + ".new");

        host.startSandboxd();

        assertThat(host.traces()).isEmpty();
    }

    @Test
    void aGuestThatWasMadeAndNotStartedIsRemoved() throws Exception {
        VmId id = host.boot(2);
        host.driver().stop(id, Duration.ZERO);
        host.killSandboxd();
        host.makeContainer(id);

        host.startSandboxd();

        assertThat(host.driver().observe(id)).isEqualTo(new Observed.Stopped());
        assertThat(host.traces()).containsOnlyKeys("files");
    }
}

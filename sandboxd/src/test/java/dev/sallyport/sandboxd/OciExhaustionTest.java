package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a container takes, its neighbour has what it had, and can have what it is promised. */
@Tag("long")
@TestInstance(Lifecycle.PER_CLASS)
class OciExhaustionTest {

    private static final int GUEST = 2;
    private static final int NEIGHBOUR = 3;

    /** A program that holds 30 MiB, and answers who connects with their sum and how often it was asked. */
    private static final String HOLDER = """
            use IO::Socket::INET;
            my $held = join("", map { chr } 0..250) x 120_000;
            my $server = IO::Socket::INET->new(LocalAddr => "10.77.0.%d:7000", Listen => 5, ReuseAddr => 1) or die $!;
            $| = 1; print "holds\\n";
            while (my $client = $server->accept) {
              $asked++; print $client "$asked ", unpack("%%32C*", $held), "\\n"; close $client;
            }
            """.formatted(NEIGHBOUR);

    private static final Pattern COUNT = Pattern.compile("(?m)^(?:max |oom_kill |nr_throttled )([0-9]+)$");

    private static Host host;
    private static VmId guest;
    private static String before;
    private static int asked;

    /** What a guest does for ever, and how the host sees that it is at its limit. */
    enum Attack {
        PROCESSES("perl -e 'for (;;) { fork }'", "pids", "pids.events", "pids.events"),
        MEMORY(
                "(while :; do perl -e '$x .= \"a\" x 1000000 while 1'; done) & "
                        + "while :; do dd if=/dev/zero of=/dev/shm/fill bs=1M; rm -f /dev/shm/fill; done",
                "memory",
                "memory.oom_control",
                "memory.events"),
        DISK("while :; do dd if=/dev/zero of=/root/big bs=1M && break; done", "", "--output=pcent", ""),
        FILES(
                "mkdir /root/many; cd /root/many; perl -e 'for (;;) { for (1..1000000) { open(F, \">\", $_) or last } }'",
                "",
                "--output=ipcent",
                ""),
        PROCESSORS("for i in $(seq 30); do (while :; do :; done) & done; wait", "cpu", "cpu.stat", "cpu.stat");

        private final String script;
        private final String controller;
        private final String file;
        private final String unified;

        Attack(String script, String controller, String file, String unified) {
            this.script = script;
            this.controller = controller;
            this.file = file;
            this.unified = unified;
        }

        /** Whether the guest has met the limit. */
        boolean isAtItsLimit() throws Exception {
            if (controller.isEmpty()) {
                return host.run("df", file, disk().toString()).contains("100%");
            }
            String group = Host.CGROUP + "/" + guest.value() + "/";
            String told = host.run(
                    "sh",
                    "-c",
                    "cat /sys/fs/cgroup/" + controller + group + file + " 2> /dev/null || cat /sys/fs/cgroup" + group
                            + unified);
            Matcher count = COUNT.matcher(told);
            while (count.find()) {
                if (Long.parseLong(count.group(1)) > 0) {
                    return true;
                }
            }
            return false;
        }
    }

    private static Path disk() {
        return Host.run(guest).resolve("disk");
    }

    Host open() throws Exception {
        return Host.open();
    }

    @BeforeAll
    void begin() throws Exception {
        host = open();
        guest = host.boot(GUEST);
        host.boot(NEIGHBOUR);
        host.ssh(
                NEIGHBOUR,
                "head -c 4000000 /dev/urandom > /root/kept; sync; cat > /root/holder.pl << 'END'\n" + HOLDER
                        + "END\nperl /root/holder.pl > /root/holder.log 2>&1 < /dev/null &\n"
                        + "for i in $(seq 200); do grep . /root/holder.log && break; sleep 0.05; done");
        asked = 0;
        before = state();
    }

    @AfterAll
    void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    /** The neighbour's files, processes, memory and network. */
    private static String state() throws Exception {
        String answer = host.run("bash", "-c", "exec 3<> /dev/tcp/10.77.0." + NEIGHBOUR + "/7000; cat <&3");
        assertThat(Integer.parseInt(answer.split(" ", 2)[0]))
                .as("it has not begun anew")
                .isEqualTo(++asked);
        return answer.split(" ", 2)[1]
                + host.ssh(
                        NEIGHBOUR,
                        "sha256sum /root/kept; find /root /etc -type f | sort | sha256sum; "
                                + "for c in /proc/[0-9]*/comm; do read n < $c; case $n in sh|sshd) ;; *) echo $c $n;; esac; done;"
                                + " cut -d' ' -f22 /proc/1/stat; ip -o addr; ip route; df --output=size,itotal / /dev/shm /tmp /run");
    }

    /** It is as before, and what it may take is there. */
    private static void theNeighbourNoticesNothing() throws Exception {
        assertThat(state()).isEqualTo(before);
        assertThat(
                        host.ssh(
                                NEIGHBOUR,
                                "for i in $(seq 20); do sleep 100 & all=\"$all $!\"; done; kill -0 $all && echo 20; kill $all; wait;"
                                        + " perl -e '$x = \"a\" x 20_000_000; print length($x), \"\\n\"';"
                                        + " dd if=/dev/urandom of=/root/own bs=1M count=8 conv=fsync status=none && stat -c %s /root/own;"
                                        + " mkdir /root/more && cd /root/more && touch $(seq 1000) && ls | wc -l; rm -r /root/more /root/own"))
                .isEqualTo("20\n20000000\n8388608\n1000\n");
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void theNeighbourOfAGuestThatTakesAllItGetsIsAsBefore(Attack attack) throws Exception {
        theNeighbourNoticesNothing();
        host.ssh(GUEST, "(" + attack.script + ") > /dev/null 2>&1 < /dev/null &");
        long deadline = System.nanoTime() + Patience.usual().toNanos();
        while (!attack.isAtItsLimit()) {
            assertThat(System.nanoTime()).as("it meets its limit").isLessThan(deadline);
            Thread.sleep(20);
        }

        for (int i = 0; i < 3; i++) {
            theNeighbourNoticesNothing();
        }
        assertThat(host.run("sh", "-c", "echo the host goes on")).isEqualTo("the host goes on\n");

        host.driver().destroy(guest);
        theNeighbourNoticesNothing();
        guest = host.boot(GUEST);
        assertThat(host.ssh(GUEST, "echo again")).isEqualTo("again\n");
    }
}

package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.client.SandboxdDriver;
import dev.sallyport.testsupport.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Real guests of a driver, through sandboxd's socket: their life, their network, and what holds them. Each driver has all of
 * it, and what is its own besides.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class GuestSuite {

    private static final String GATE = """
            import socket, struct, threading
            def tcp():
                s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                s.bind(("10.77.0.1", 10080)); s.listen(100)
                def one(c):
                    a = c.getsockopt(socket.SOL_IP, 80, 16)
                    port, ip = struct.unpack("!H4s", a[2:8])
                    c.sendall(f"gate {socket.inet_ntoa(ip)}:{port}\\n".encode())
                    c.recv(1)
                while True:
                    threading.Thread(target=one, args=(s.accept()[0],), daemon=True).start()
            def dns():
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("10.77.0.1", 10053))
                print("ready", flush=True)
                while True:
                    data, peer = s.recvfrom(512); s.sendto(b"answer of the gate", peer)
            threading.Thread(target=tcp, daemon=True).start()
            dns()
            """;

    /** One class after the other. */
    static Host host;

    /** With sandboxd running, and the driver that is tried. */
    abstract Host open() throws Exception;

    @BeforeAll
    void begin() throws Exception {
        host = open();
        host.help("python3", "-c", GATE);
    }

    @AfterAll
    void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @AfterEach
    void destroyAll() throws Exception {
        for (VmId id : host.driver().observeAll().keySet()) {
            host.driver().destroy(id);
        }
        assertThat(host.traces()).isEmpty();
    }

    @Test
    void aGuestLivesAndLeavesNothing() throws Exception {
        SandboxdDriver driver = host.driver();
        VmId id = host.boot(2);

        assertThat(host.ssh(2, "id -u; hostname; . /etc/profile; echo \"$TOKEN\""))
                .isEqualTo("0\nguest2\nit's a placeholder\n");
        assertThat(host.ssh(2, "echo kept > /root/kept; rm -r /usr/share/doc; cat /etc/machine-id"))
                .hasSize(33);
        driver.stop(id, Duration.ofSeconds(5));
        assertThat(driver.observe(id)).isEqualTo(new Observed.Stopped());
        assertThat(host.traces()).containsOnlyKeys("files");

        driver.start(id);
        host.awaitSsh(2);
        assertThat(host.ssh(2, "cat /root/kept; ls -d /usr/share/doc"))
                .startsWith("kept\n")
                .contains("No such file");
        driver.destroy(id);
        assertThat(host.traces()).isEmpty();
    }

    @Test
    void repetitionDoesNoHarm() throws Exception {
        SandboxdDriver driver = host.driver();
        VmId id = host.boot(2);
        Observed running = driver.observe(id);

        driver.create(id, host.spec(2));
        driver.start(id);
        assertThat(driver.observe(id)).isEqualTo(running);
        driver.stop(id, Duration.ZERO);
        driver.stop(id, Duration.ZERO);
        driver.destroy(id);
        driver.destroy(id);
        assertThat(driver.observe(id)).isEqualTo(new Observed.Absent());
    }

    static TaskReport awaitEnd(VmId id, TaskName name) throws Exception {
        for (int i = 0; i < 3_000; i++) {
            TaskReport report = host.driver().report(id, name, 0);
            if (report.state() instanceof TaskReport.State.Ended) {
                return report;
            }
            Thread.sleep(20);
        }
        throw new AssertionError(name + " does not end");
    }

    static TaskReport awaitText(VmId id, TaskName name, String end) throws Exception {
        TaskReport report = host.driver().report(id, name, 0);
        for (int i = 0; i < 3_000 && !text(report).endsWith(end); i++) {
            Thread.sleep(20);
            report = host.driver().report(id, name, 0);
        }
        assertThat(text(report)).endsWith(end);
        return report;
    }

    static String text(TaskReport report) {
        return new String(report.output(), StandardCharsets.UTF_8);
    }

    @Test
    void aTaskRunsWithItsFilesAndArgumentsAsTheyAreAndOutlivesSandboxd() throws Exception {
        VmId id = host.boot(2);
        TaskName name = new TaskName("work");
        assertThat(host.driver().report(id, name, 0)).isEqualTo(TaskReport.absent());

        host.driver()
                .run(
                        id,
                        name,
                        new GuestTask(
                                List.of(
                                        "sh",
                                        "-c",
                                        "cat; printf '<%s>' \"$@\"; echo \"$TOKEN\"; while [ ! -e /root/go ]; do sleep 0.02; done; echo end; exit 7",
                                        "sh",
                                        "it's $(id) \"x\"\n",
                                        ""),
                                Map.of("prompt", "line `id`\nä\n", "other", ""),
                                "prompt",
                                Duration.ofMinutes(1)));
        host.driver().run(id, name, new GuestTask(List.of("false"), Duration.ofMinutes(1)));
        assertThat(host.ssh(2, "ls -l " + name.folder() + "/other | cut -c1-10"))
                .isEqualTo("-rw-------\n");
        host.killSandboxd();
        host.startSandboxd();
        assertThat(awaitText(id, name, "placeholder\n").state())
                .as("what it has written is seen while it runs")
                .isEqualTo(new TaskReport.State.Running());
        host.ssh(2, "touch /root/go");

        TaskReport end = awaitEnd(id, name);
        assertThat(end.state()).isEqualTo(new TaskReport.State.Ended(7));
        assertThat(text(end)).isEqualTo("line `id`\nä\n<it's $(id) \"x\"\n><>it's a placeholder\nend\n");
        assertThat(text(host.driver().report(id, name, end.output().length - 4)))
                .isEqualTo("end\n");
        host.driver().stop(id, Duration.ZERO);
        host.driver().start(id);
        assertThat(host.driver().report(id, name, 0)).as("ended with its VM").isEqualTo(TaskReport.absent());
    }

    private static final String SEEN =
            ". /etc/profile; echo \"${TOKEN-none}|${GREETING-none}\"; ls -A /etc/profile.d | grep sallyport";

    @Test
    void aGuestThatRunsGetsOtherVariablesAndAShellThatIsOpenReadsThemWhenItIsTold() throws Exception {
        VmId id = host.boot(2);
        GuestVariables others = new GuestVariables(Map.of("GREETING", "it's `new` $1\n"));
        host.help(host.sshCommand(2, """
                . /etc/profile; echo ready; while [ ! -e /root/changed ]; do sleep 0.02; done
                echo "$TOKEN|${GREETING-none}" > /root/before
                . /etc/profile.d/sallyport.sh; printf %s "$GREETING" > /root/after; mv /root/changed /root/told"""));

        host.driver().refresh(id, others);
        host.driver().refresh(id, others);

        assertThat(host.ssh(2, SEEN)).isEqualTo("none|it's `new` $1\n\nsallyport.sh\n");
        assertThat(
                        host.ssh(
                                2,
                                "touch /root/changed; while [ ! -e /root/told ]; do sleep 0.02; done; cat /root/before /root/after"))
                .isEqualTo("it's a placeholder|none\nit's `new` $1\n");
        assertThat(host.ssh(2, "setpriv --reuid 65534 --clear-groups sh -c '. /etc/profile; echo $GREETING'"))
                .as("anybody may read it")
                .isEqualTo("it's `new` $1\n");
        TaskName name = new TaskName("look");
        host.driver().run(id, name, new GuestTask(List.of("printenv", "GREETING"), Duration.ofMinutes(1)));
        assertThat(text(awaitEnd(id, name))).isEqualTo("it's `new` $1\n\n");

        host.killSandboxd();
        host.startSandboxd();
        host.driver().stop(id, Duration.ofSeconds(5));
        assertThatThrownBy(() -> host.driver().refresh(id, others))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT));
        host.driver().start(id);
        host.awaitSsh(2);
        assertThat(host.ssh(2, SEEN)).as("after a start").isEqualTo("none|it's `new` $1\n\nsallyport.sh\n");
        host.driver().refresh(id, new GuestVariables(Map.of()));
        assertThat(host.ssh(2, SEEN)).isEqualTo("none|none\nsallyport.sh\n");
        host.driver().create(id, host.spec(2));
        assertThat(host.driver().observe(id)).isInstanceOf(Observed.Running.class);
    }

    @Test
    void asManyVariablesAsAnAccountMayHaveReachAGuestThatRunsAndAreNeverSeenInPart() throws Exception {
        VmId id = host.boot(2);
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < 16; i++) {
            all.put("V" + i, ("" + (char) ('a' + i)).repeat(64 << 10));
        }
        host.ssh(2, """
                nohup sh -c 'while [ ! -e /root/end ]; do
                    sh -c ". /etc/profile.d/sallyport.sh; echo \\${#V0} \\${#V15}"; done > /root/seen 2>&1' > /dev/null 2>&1 < /dev/null &""");

        for (int i = 0; i < 3; i++) {
            host.driver().refresh(id, new GuestVariables(all));
            host.driver().refresh(id, new GuestVariables(Map.of()));
        }
        host.driver().refresh(id, new GuestVariables(all));

        assertThat(host.ssh(2, ". /etc/profile; echo \"${#V0} $V15\"")).isEqualTo("65536 " + all.get("V15") + "\n");
        assertThat(host.ssh(2, "touch /root/end; sort -u /root/seen").lines()).isSubsetOf("0 0", "65536 65536");
    }

    @Test
    void aTaskEndsWhenItsTimeIsOverAndWhatItWritesIsBounded() throws Exception {
        VmId id = host.boot(2);
        TaskName slow = new TaskName("slow");
        TaskName loud = new TaskName("loud");
        TaskName none = new TaskName("none");
        TaskName left = new TaskName("left");

        host.driver().run(id, slow, new GuestTask(List.of("sleep", "1000"), Duration.ofSeconds(1)));
        host.driver()
                .run(
                        id,
                        loud,
                        new GuestTask(
                                List.of("sh", "-c", "head -c 5000000 /dev/zero; echo the end"), Duration.ofMinutes(1)));
        host.driver().run(id, none, new GuestTask(List.of("no-such-program"), Duration.ofMinutes(1)));
        host.driver().run(id, left, new GuestTask(List.of("sh", "-c", "sleep 1000 & echo x"), Duration.ofMinutes(1)));

        assertThat(awaitEnd(id, slow).state()).isEqualTo(new TaskReport.State.Ended(124));
        TaskReport kept = awaitEnd(id, loud);
        assertThat(kept.state()).isEqualTo(new TaskReport.State.Ended(0));
        assertThat(kept.offset()).as("the oldest is dropped").isBetween(2_800_000L, 5_000_000L);
        assertThat(text(host.driver().report(id, loud, 5_000_000))).isEqualTo("the end\n");
        assertThat(host.ssh(2, "du -s --apparent-size -B1 " + loud.folder() + " | cut -f1"))
                .satisfies(bytes -> assertThat(Long.parseLong(bytes.strip())).isLessThan(2_200_000));
        assertThat(awaitEnd(id, none).state()).isEqualTo(new TaskReport.State.Ended(127));
        assertThat(awaitEnd(id, left).state())
                .as("what it has left behind holds nothing up")
                .isEqualTo(new TaskReport.State.Ended(0));
    }

    @Test
    void manyAtOnceDoNotDisturbEachOther() throws Exception {
        List<Callable<String>> lives = IntStream.range(2, 10)
                .<Callable<String>>mapToObj(number -> () -> {
                    VmId id = host.boot(number);
                    host.driver().stop(id, Duration.ZERO);
                    host.driver().destroy(id);
                    return id.value();
                })
                .toList();
        try (ExecutorService threads = Executors.newFixedThreadPool(lives.size())) {
            for (Future<String> life : threads.invokeAll(lives)) {
                assertThat(life.get()).startsWith("vm_");
            }
        }
        assertThat(host.traces()).isEmpty();
    }

    @Test
    void aConflictLeavesNothing() throws Exception {
        host.driver().create(Host.id(2), host.spec(2));

        assertThatThrownBy(() -> host.driver().create(Host.id(3), host.spec(2)))
                .isInstanceOfSatisfying(
                        VmException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT));
        assertThat(host.driver().observeAll()).containsOnlyKeys(Host.id(2));
    }

    @Test
    void aGuestThatEndsByItselfIsStopped() throws Exception {
        VmId id = host.boot(2);

        host.ssh(2, "kill -TERM 1");
        for (int i = 0; i < 500 && host.driver().observe(id) instanceof Observed.Running; i++) {
            Thread.sleep(10);
        }

        assertThat(host.driver().observe(id)).isEqualTo(new Observed.Stopped());
        host.driver().start(id);
        host.awaitSsh(2);
    }

    @Test
    void everyTcpPortAndDnsLeadToTheGate() throws Exception {
        host.boot(2);
        host.boot(3);

        for (String to :
                new String[] {"192.0.2.7/443", "192.0.2.7/8443", "10.77.0.3/22", "10.77.0.1/22", "169.254.169.254/80"
                }) {
            assertThat(host.ssh(2, "bash -c 'exec 3<>/dev/tcp/" + to + "; read -t 5 -u 3 l; echo $l'"))
                    .isEqualTo("gate " + to.replace('/', ':') + "\n");
        }
        assertThat(host.ssh(2, udp("192.0.2.53", 53))).isEqualTo("answer of the gate\n");
    }

    @Test
    void anythingElseIsRefusedAndCounted() throws Exception {
        VmId id = host.boot(2);

        assertThat(host.ssh(2, udp("192.0.2.7", 443))).isEqualTo("refused: No route to host\n");
        Refused refused = host.driver().refused(id);
        assertThat(refused.packets()).isEqualTo(1);
        assertThat(refused.spoofed()).isZero();
        assertThat(host.ssh(2, "bash -c 'exec 3<>/dev/tcp/2001:db8::1/80' 2>&1"))
                .contains("Cannot assign");
    }

    @Test
    void connectionsHaveACap() throws Exception {
        VmId id = host.boot(2);

        String printed = host.ssh(2, """
                perl -MIO::Socket::INET -e '
                for (1..40) {
                  $s = IO::Socket::INET->new(PeerAddr => "192.0.2.7:80"); push @held, $s if $s;
                  print $s ? "open\n" : "refused\n" }'
                """);

        assertThat(printed.lines().filter("open"::equals).count()).isBetween(15L, 20L);
        assertThat(printed).contains("refused");
        assertThat(host.driver().refused(id).packets()).isPositive();
    }

    @Test
    void countersOfAGuestGoOnWhileOthersComeAndGo() throws Exception {
        VmId id = host.boot(2);
        host.ssh(2, udp("192.0.2.7", 443));
        VmId other = host.boot(3);
        host.driver().destroy(other);

        assertThat(host.driver().refused(id).packets()).isEqualTo(1);
    }

    @Test
    void sandboxdFindsItsGuestsAgain() throws Exception {
        VmId id = host.boot(2);
        Observed running = host.driver().observe(id);

        host.killSandboxd();
        host.startSandboxd();

        assertThat(host.driver().observe(id)).isEqualTo(running);
        assertThat(host.ssh(2, "echo here")).isEqualTo("here\n");
        assertThat(host.ssh(2, udp("192.0.2.53", 53))).isEqualTo("answer of the gate\n");
    }

    @Test
    void aVmWhoseFilesAreDamagedIsFailedAndHoldsUpNobody() throws Exception {
        VmId id = host.boot(2);
        VmId other = host.boot(3);
        host.killSandboxd();
        Files.writeString(host.folder().resolve("vms").resolve(id.value()).resolve("vm.json"), "{");

        host.startSandboxd();

        assertThat(host.driver().observe(id)).isInstanceOf(Observed.Failed.class);
        assertThat(host.driver().observe(other)).isInstanceOf(Observed.Running.class);
        host.driver().destroy(id);
        assertThat(host.driver().observeAll()).containsOnlyKeys(other);
    }

    @Test
    void withoutGuestsSandboxdLeavesNothing() throws Exception {
        host.driver().destroy(host.boot(2));

        host.endSandboxd();

        assertThat(host.remains()).isEmpty();
        host.startSandboxd();
    }

    @Test
    void guestsGoOnWhenSandboxdEnds() throws Exception {
        VmId id = host.boot(2);

        host.endSandboxd();

        host.awaitSsh(2);
        host.startSandboxd();
        assertThat(host.driver().observe(id)).isInstanceOf(Observed.Running.class);
    }

    @Test
    void whereverSandboxdIsKilledTheNextOneFindsTheTruth() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        VmId id = Host.id(2);
        for (int round = 0; round < 12; round++) {
            Thread life = Thread.ofPlatform().start(() -> live(id));
            Thread.sleep(random.nextInt(900));
            host.killSandboxd();
            life.join();
            host.startSandboxd();

            switch (host.driver().observe(id)) {
                case Observed.Running running -> {
                    host.awaitSsh(2);
                    assertThat(host.ssh(2, "echo here")).as("seed %d", seed).isEqualTo("here\n");
                }
                case Observed.Stopped stopped ->
                    assertThat(host.traces()).as("seed %d", seed).containsOnlyKeys("files");
                case Observed.Absent absent ->
                    assertThat(host.traces()).as("seed %d", seed).isEmpty();
                case Observed.Failed failed -> throw new AssertionError("seed " + seed + ": " + failed.reason());
            }
            host.driver().destroy(id);
            assertThat(host.traces()).as("seed %d", seed).isEmpty();
        }
    }

    private static void live(VmId id) {
        try {
            SandboxdDriver driver = host.driver();
            driver.create(id, host.spec(2));
            driver.start(id);
            driver.stop(id, Duration.ofMillis(100));
            driver.destroy(id);
        } catch (VmException e) {
            assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE); // sandboxd was killed
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String udp(String address, int port) {
        return """
                perl -MIO::Socket::INET -e '
                $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "%s:%d");
                $SIG{ALRM} = sub { print "silence\\n"; exit };
                alarm 5; $s->send("x"); $s->recv($d, 100) // do { print "refused: $!\\n"; exit }; print "$d\\n"'
                """.formatted(address, port);
    }

    @Test
    void queriesHaveACap() throws Exception {
        VmId id = host.boot(2);

        String printed = host.ssh(2, """
                perl -MIO::Socket::INET -e '
                for (1..60) {
                  $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "192.0.2.53:53") or die; $s->send("x");
                  $r = ""; vec($r, fileno($s), 1) = 1;
                  print select($r, undef, undef, 1) && $s->recv($d, 100) ? "answer\n" : "none\n"; $n++ if !$d;
                  $d = ""; last if $n == 3 }'
                """);

        // At most 20 are open at once; one that the kernel has forgotten meanwhile makes room for another.
        assertThat(printed.lines().filter("answer"::equals).count()).isBetween(15L, 25L);
        assertThat(host.driver().refused(id).packets()).isPositive();
    }

    @Test
    void connectionsThatEndAtOnceHaveARate() throws Exception {
        VmId id = host.boot(2);

        String printed = host.ssh(2, """
                perl -MIO::Socket::INET -e '
                for (1..400) {
                  $s = IO::Socket::INET->new(PeerAddr => "192.0.2.7:80"); $s ? $open++ : $refused++;
                  if ($s) { $s->getline; close($s) } select(undef, undef, undef, 0.005) }
                print $open > 19 && $refused > 19 ? "limited" : "open $open, refused $refused"'
                """);

        assertThat(printed).isEqualTo("limited");
        assertThat(host.driver().refused(id).packets()).isPositive();
    }

    @Test
    void rulesThatSomebodyFlushesComeBack() throws Exception {
        VmId id = host.boot(2);

        host.run("nft", "flush", "ruleset");

        awaitGate();
        VmId other = host.boot(3);
        assertThat(host.ssh(3, tcp("192.0.2.7/443"))).isEqualTo("gate 192.0.2.7:443\n");
        host.driver().stop(id, Duration.ZERO);
        host.driver().start(id);
        host.run("nft", "flush", "ruleset");
        host.driver().destroy(other);
        awaitGate();
    }

    @Test
    void oneRuleThatSomebodyRemovesComesBack() throws Exception {
        host.boot(2);

        host.run("nft", "flush", "chain", "inet", "sallyport_sandbox", "steer");

        awaitGate();
    }

    @Test
    void withoutRulesNoCableIsUp() throws Exception {
        host.boot(2);

        host.run("sh", "-c", "nft flush ruleset; mount --bind /bin/false $(command -v nft)");
        try {
            host.run("sh", "-c", "while ip -o link show up | grep -q svh2; do sleep 0.05; done");
        } finally {
            host.run("sh", "-c", "umount $(command -v nft)");
        }
        host.run("sh", "-c", "until ip -o link show up | grep -q svh2; do sleep 0.05; done");
        host.awaitSsh(2);
        assertThat(host.ssh(2, tcp("192.0.2.7/443"))).isEqualTo("gate 192.0.2.7:443\n");
    }

    @Test
    void rulesOfOthersTurnNothingElsewhere() throws Exception {
        host.boot(2);
        host.run(
                "sh",
                "-c",
                "nft add table ip other; nft 'add chain ip other p { type nat hook prerouting priority dstnat; }';"
                        + " nft add rule ip other p tcp dport 8081 redirect to :22");
        try {
            assertThat(host.ssh(2, tcp("192.0.2.7/8081"))).isEqualTo("gate 192.0.2.7:8081\n");
        } finally {
            host.run("nft", "delete", "table", "ip", "other");
        }
    }

    @Test
    void theAddressesOfGuestsAndGateAreNobodyElses() throws Exception {
        host.run("sh", "-c", """
                ip netns add neighbour; ip link add svtest type veth peer name eth0 netns neighbour
                ip link set svtest up; ip address add 192.168.9.1/24 dev svtest
                ip -n neighbour link set eth0 up; ip -n neighbour address add 192.168.9.2/24 dev eth0
                ip -n neighbour address add 10.77.0.9/32 dev eth0; ip -n neighbour route add 10.77.0.1 via 192.168.9.1
                for i in all svtest; do echo 0 > /proc/sys/net/ipv4/conf/$i/rp_filter; done""");
        try {
            assertThat(host.run("python3", "-c", """
                    import subprocess, socket
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("192.168.9.1", 7000)); s.settimeout(2)
                    def send(source, to):
                        subprocess.run(["ip", "netns", "exec", "neighbour", "python3", "-c",
                            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
                            f"s.bind(('{source}', 0)); s.sendto(b'from {source}', ('{to}', 7000))"], check=True)
                    send("10.77.0.9", "192.168.9.1"); send("192.168.9.2", "192.168.9.1")
                    print(s.recv(100).decode())
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("10.77.0.1", 7000)); s.settimeout(2)
                    send("192.168.9.2", "10.77.0.1")
                    try: print(s.recv(100).decode())
                    except TimeoutError: print("nothing")
                    """)).isEqualTo("from 192.168.9.2\nnothing\n");
        } finally {
            host.run("sh", "-c", "ip link delete svtest; ip netns delete neighbour");
        }
    }

    @Test
    void aSecondSandboxdIsRefused() throws Exception {
        VmId id = host.boot(2);

        assertThat(host.secondSandboxd()).contains("another process has locked /run/sallyport-sandboxd.lock");

        assertThat(host.ssh(2, tcp("192.0.2.7/443"))).isEqualTo("gate 192.0.2.7:443\n");
        assertThat(host.driver().observeAll()).containsOnlyKeys(id);
    }

    @Test
    void aRemainThatCannotBeReadHoldsUpNobody() throws Exception {
        VmId id = host.boot(2);
        VmId bad = Host.id(4);
        host.killSandboxd();
        Files.createDirectories(
                host.folder().resolve("vms").resolve(bad.value()).resolve("vm.json"));

        host.startSandboxd();

        assertThat(host.driver().observeAll().get(id)).isInstanceOf(Observed.Running.class);
        assertThat(host.driver().observeAll().get(bad)).isInstanceOf(Observed.Failed.class);
        host.driver().destroy(bad);
        assertThat(host.driver().observeAll()).containsOnlyKeys(id);
    }

    private static String tcp(String to) {
        return "bash -c 'exec 3<>/dev/tcp/" + to + "; read -t 5 -u 3 l; echo $l' 2>&1";
    }

    /** Returns when what the first guest sends leads to the gate; the machine itself refuses port 22 of the gate. */
    private static void awaitGate() throws Exception {
        String printed = "";
        long start = System.nanoTime(); // a virtual machine that was started just now refuses until its sshd listens
        while (!printed.startsWith("gate")
                && System.nanoTime() - start < Patience.usual().toNanos()) {
            printed = host.ssh(2, tcp("10.77.0.1/22"));
        }
        assertThat(printed).isEqualTo("gate 10.77.0.1:22\n");
    }
}

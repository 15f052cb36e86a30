package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandboxd.Sandboxd;
import dev.sallyport.testsupport.GuestTraces;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Real guests while the control plane is killed at random moments, and now and then sandboxd: afterwards what the API says
 * of each is true, and nothing is left of those that are gone. Needs root, crun or runc, and an image in {@code TEST_SANDBOX_IMAGE}.
 * {@code -Dsallyport.test.sandbox.kills} and {@code -Dsallyport.test.sandbox.lives} set the numbers, {@code
 * -Dsallyport.test.seed} the seed.
 */
@Tag("long")
@Timeout(14_400)
class SandboxCrashTest {

    private static final int KILLS = Integer.getInteger("sallyport.test.sandbox.kills", 4);
    private static final int LIVES = Integer.getInteger("sallyport.test.sandbox.lives", 16);

    /** Kills of the control plane from one look at all VMs to the next one: most kills meet what others have left. */
    private static final int LOOK = 4;

    /** The longest that the control plane works before it is killed, in milliseconds. */
    private static final int WORK = 6_000;

    /** About as long as a program takes to start, in milliseconds. */
    private static final int START = 2_000;

    /** The longest pause between two wishes, in milliseconds. */
    private static final int PAUSE = 300;

    private static final Pattern ID = Pattern.compile("vm_[0-9a-z]{26}");
    private static final Pattern NUMBER = Pattern.compile("(?:svh|sallyport-|refused_)([0-9]+)");

    private final long seed = Long.getLong("sallyport.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private ScenarioMachine machine;
    private RestlessUser user;
    private int kills;
    private int killsOfSandboxd;

    @BeforeEach
    void open() throws Exception {
        Tools.require("ssh-keyscan", "losetup", "ss");
        machine = ScenarioMachine.open("oci");
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    @Test
    void afterKillsAtRandomMomentsEveryStateIsTrueAndNothingIsLeftBehind() throws Exception {
        System.out.println("seed of SandboxCrashTest: " + seed);
        long begin = System.nanoTime();
        machine.signUp("first@example.com");
        user = new RestlessUser(machine, new Random(random.nextLong()));
        Set<String> before = names(machine.folder());

        for (int round = 1; kills < KILLS; round++) {
            crashWhile(LIVES * (kills + 1) / KILLS);
            if (round % LOOK == 0 || kills >= KILLS) {
                awaitTruth();
            }
        }
        while (user.lives() < LIVES) {
            act(LIVES);
        }
        awaitTruth();
        user.destroyAll();
        awaitTruth();

        assertThat(machine.traces().found()).as("seed " + seed).isEmpty();
        assertThat(machine.run("ss", "-Hltn", "sport >= :22000 and sport <= :22999"))
                .as("ports of VMs")
                .isEmpty();
        machine.end(SandboxMachine.class);
        machine.end(Sandboxd.class);
        requireNothingLeft(before);
        System.out.printf(
                "%d life cycles, of which %d were ready and %d stopped, %d kills of the control plane and %d of sandboxd, %d s%n",
                rows("vm"),
                once("ready"),
                once("stopped"),
                kills,
                killsOfSandboxd,
                Duration.ofNanos(System.nanoTime() - begin).toSeconds());
        assertThat(once("ready")).isPositive();
        assertThat(once("stopped")).isPositive();
    }

    private void act(int most) throws IOException, InterruptedException {
        user.act(most);
        Thread.sleep(random.nextInt(PAUSE));
    }

    /** @param most how many VMs there may have been until then */
    private void crashWhile(int most) throws Exception {
        FutureTask<Void> crash = new FutureTask<>(this::crash, null);
        Thread.ofPlatform().name("crash").start(crash);
        while (!crash.isDone()) {
            act(Math.min(most, LIVES));
        }
        crash.get();
    }

    /** @param before what was in the machine's folder before there was a VM */
    private void requireNothingLeft(Set<String> before) throws Exception {
        assertThat(machine.traces().remains()).as("seed " + seed).isEmpty();
        assertThat(machine.run(
                        "find",
                        GuestTraces.RUN_FOLDER,
                        "-mindepth",
                        "2",
                        "-not",
                        "-path",
                        "*/sys/*",
                        "-not",
                        "-path",
                        "*/trust/*"))
                .isEmpty();
        // Those whose parent was killed are ended, and wait until the first process of all takes note of it.
        await().atMost(Patience.usual())
                .untilAsserted(
                        () -> assertThat(machine.processes()).as("seed " + seed).isEmpty());
        assertThat(names(machine.folder())).as("seed " + seed).isSubsetOf(before);
        assertThat(rows("vm where address is not null or ssh_port is not null")).isZero();
        assertThat(rows("vm where destroyed_at is null")).isZero();
        assertThat(rows("vm_job")).isZero();
    }

    /** Kills the control plane, once or twice, sandboxd before, after, or not at all, and starts what was killed. */
    private void crash() {
        try {
            Thread.sleep(random.nextInt(WORK));
            switch (random.nextInt(8)) {
                case 0 -> {
                    killSandboxd();
                    beginSandboxd();
                    Thread.sleep(random.nextInt(START));
                    killControlPlane();
                    beginControlPlane();
                }
                case 1 -> {
                    killSandboxd();
                    Thread.sleep(random.nextInt(START));
                    killControlPlane();
                    beginSandboxd();
                    beginControlPlane();
                }
                case 2 -> {
                    killControlPlane();
                    Thread.sleep(random.nextInt(START));
                    killSandboxd();
                    beginControlPlane();
                    beginSandboxd();
                }
                default -> {
                    killControlPlane();
                    beginControlPlane();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void killSandboxd() throws InterruptedException {
        machine.kill(Sandboxd.class);
        killsOfSandboxd++;
    }

    private void killControlPlane() throws InterruptedException {
        machine.kill(SandboxMachine.class);
        kills++;
    }

    /** One start of four does not come to its end. */
    private void beginSandboxd() throws IOException, InterruptedException {
        if (random.nextInt(4) == 0) {
            machine.launchSandboxd();
            Thread.sleep(random.nextInt(START));
            killSandboxd();
        }
        machine.beginSandboxd();
    }

    private void beginControlPlane() throws IOException, InterruptedException {
        if (random.nextInt(4) == 0) {
            machine.launchControlPlane();
            Thread.sleep(random.nextInt(2 * START));
            killControlPlane();
        }
        machine.beginControlPlane();
    }

    /** Until each VM is what it was promised to be, and the machine has what the API says, and nothing else. */
    private void awaitTruth() throws IOException {
        try {
            await().pollInterval(Duration.ofMillis(250))
                    .atMost(Patience.seconds(60))
                    .untilAsserted(() -> {
                        Map<String, JsonNode> all = user.list();
                        requireTrue(all);
                        user.requireKept(all);
                    });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + "\n" + machine.log(Sandboxd.class), e);
        }
    }

    private void requireTrue(Map<String, JsonNode> all) throws Exception {
        String why = "seed " + seed + ", kill " + kills;
        Set<String> running = ids(all, "running");
        Set<String> present = new TreeSet<>(running);
        present.addAll(ids(all, "stopped"));
        Map<String, String> traces = machine.traces().found();
        assertThat(found(ID, traces, "files")).as("files, " + why).isEqualTo(present);
        for (String kind : List.of("mounts", "runs", "loops", "groups")) {
            assertThat(found(ID, traces, kind)).as(kind + ", " + why).isEqualTo(running);
        }
        Set<String> numbers = found(NUMBER, traces, "namespaces");
        assertThat(numbers).as("namespaces, " + why).hasSameSizeAs(running);
        for (String kind : List.of("cables", "leases")) {
            assertThat(found(NUMBER, traces, kind)).as(kind + ", " + why).isEqualTo(numbers);
        }
        for (String id : running) {
            requireSsh(id);
        }
    }

    /** At the port of a VM an sshd answers, and it has the key of that VM. */
    private void requireSsh(String id) throws Exception {
        String port =
                machine.api("GET", "/v1/vms/" + id + "/ssh", "").path("port").asText();
        String known = machine.api("GET", "/v1/vms/" + id + "/ssh/host-keys", "")
                .path("known_hosts")
                .asText();
        assertThat(machine.run("sh", "-c", "ssh-keyscan -T 5 -t ed25519 -p " + port + " 127.0.0.1 2>/dev/null || true"))
                .as("sshd of " + id + ", seed " + seed)
                .isEqualTo(known)
                .isNotEmpty();
    }

    private static Set<String> ids(Map<String, JsonNode> all, String status) {
        return all.values().stream()
                .filter(vm -> vm.path("status").asText().equals(status))
                .map(vm -> vm.path("id").asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What is named in the traces of a kind. */
    private static Set<String> found(Pattern pattern, Map<String, String> traces, String kind) {
        return pattern.matcher(traces.getOrDefault(kind, ""))
                .results()
                .map((MatchResult result) -> result.group(result.groupCount()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What is in a folder, without what programs have printed. */
    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".log"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** How many VMs were in a state at some time. */
    private int once(String detail) throws SQLException {
        return rows("(select distinct vm_id from vm_event where status_detail = '" + detail + "')");
    }

    private int rows(String of) throws SQLException {
        try (Connection database = DriverManager.getConnection(
                        "jdbc:sqlite:" + machine.folder().resolve("state/control.db"));
                Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from " + of)) {
            return row.getInt(1);
        }
    }
}

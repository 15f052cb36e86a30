package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A control plane that is killed in any state of its snapshots finds them again, and makes true what was asked for. */
@Timeout(600)
class SnapshotCrashTest {

    private static final int KILLS =
            Integer.getInteger("sallyport.test.vm.kills", Boolean.getBoolean("sallyport.full") ? 4 : 1);

    @TempDir
    Path folder;

    @Test
    @Tag("long")
    void afterKillsAtRandomMomentsEverySnapshotIsReadyOrGoneAndNothingIsLeftBehind() throws Exception {
        long seed = Long.getLong("sallyport.test.seed", System.nanoTime());
        System.out.println("seed of SnapshotCrashTest: " + seed);
        Random random = new Random(seed);
        Path guests = folder.resolve("guests");
        Map<String, Boolean> wanted = new HashMap<>();
        Set<String> ready = new HashSet<>();
        try (ControlProcess control = new ControlProcess(
                folder,
                TestControl.NO_LIMITS + Database.yaml() + "  sandboxes: {driver: fake, settings: {dir: \"" + guests
                        + "\", pause_millis: \"60\"}, ssh: {ports: 10000-32767}}\n")) {
            Api api = control.newAccount();
            Sandbox vm = Sandbox.ready(api, "a");
            for (int kill = 0; kill < KILLS; kill++) {
                for (int i = 0; i < 4; i++) {
                    Api.Reply asked = vm.snapshot(null);
                    if (asked.status() == 503) {
                        continue; // the driver was not asked since the start
                    }
                    String id = asked.data().path("id").asText();
                    Thread.sleep(random.nextInt(150));
                    boolean kept = random.nextInt(3) > 0;
                    wanted.put(id, kept);
                    if (!kept) {
                        assertThat(api.delete("/v1/snapshots/" + id).status()).isEqualTo(204);
                    }
                }
                Thread.sleep(random.nextInt(200));
                control.kill();
                control.start();
                await().ignoreExceptions()
                        .atMost(Patience.usual())
                        .until(() -> vm.state().equals("running/ready"));
            }
            wanted.forEach((id, kept) -> {
                if (kept) {
                    Sandbox.awaitSnapshot(api, id, "ready");
                    ready.add(id);
                }
            });
            Sandbox.fork(api, "fork", ready.iterator().next());
            await().atMost(Patience.usual())
                    .untilAsserted(
                            () -> assertThat(present(guests)).as("seed " + seed).isEqualTo(ready));
            control.kill();
            try (FakeDriver driver = new FakeDriver(guests, Duration.ZERO)) {
                assertThat(driver.snapshots().stream().map(SnapshotId::value).toList())
                        .as("seed " + seed)
                        .containsExactlyInAnyOrderElementsOf(ready);
            }
        }
    }

    private static Set<String> present(Path guests) throws Exception {
        Set<String> present = new HashSet<>();
        try (Stream<Path> files = Files.list(guests)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("snap_") && name.endsWith(".snapshot"))
                    .forEach(name -> present.add(name.replace(".snapshot", "")));
        }
        return present;
    }
}

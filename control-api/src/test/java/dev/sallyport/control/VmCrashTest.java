package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A control plane that is killed in any state of its VMs finds them again, and makes true what was asked for. */
@Timeout(600)
class VmCrashTest {

    private static final int KILLS =
            Integer.getInteger("sallyport.test.vm.kills", Boolean.getBoolean("sallyport.full") ? 4 : 1);
    private static final int LIFE_CYCLES = 5;

    @TempDir
    Path folder;

    private Path guests() {
        return folder.resolve("guests");
    }

    private ControlProcess control(int pause) throws Exception {
        return new ControlProcess(
                folder,
                TestControl.NO_LIMITS + Database.yaml() + "  sandboxes: {driver: fake, settings: {dir: \"" + guests()
                        + "\", pause_millis: \"" + pause + "\"}, ssh: {ports: 10000-32767}}\n");
    }

    @Test
    @Tag("long")
    void whatRanAndWhatWasStoppedIsFoundAgain() throws Exception {
        try (ControlProcess control = control(0)) {
            Api api = control.newAccount();
            Sandbox running = Sandbox.ready(api, "running");
            Sandbox stopped = Sandbox.stopped(api, "stopped");
            JsonNode ssh = api.get(running.path() + "/ssh").json();

            control.kill();
            control.start();

            assertThat(running.state()).isEqualTo("running/ready");
            assertThat(stopped.state()).isEqualTo("stopped/stopped");
            assertThat(api.get(running.path() + "/ssh").json()).isEqualTo(ssh);
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                try (SshClient client = SshClient.to(ssh.path("port").asInt())) {
                    assertThat(client.readBanner()).isEqualTo("SSH-2.0-fake_" + running.id());
                }
            });
            stopped.start();
            stopped.until("running/ready");
        }
    }

    @Tag("long")
    @Test
    void whatIsInTheWayForLongerThanABootHarmsNoGuestThatRuns() throws Exception {
        try (ControlProcess control = new ControlProcess(
                folder,
                TestControl.NO_LIMITS + Database.yaml() + "  sandboxes: {driver: fake, settings: {dir: \"" + guests()
                        + "\"}, boot_timeout: 1s, ssh: {ports: 10000-32767}}\n")) {
            Api api = control.newAccount();
            Sandbox vm = Sandbox.ready(api, "a");
            int port = api.get(vm.path() + "/ssh").json().path("port").asInt();
            control.kill();
            try (ServerSocket other = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                control.start();

                await().during(Duration.ofSeconds(4))
                        .atMost(Patience.usual())
                        .until(() -> other.isBound() && vm.state().equals("running/ready"));
                assertThat(vm.messages().getLast()).contains("cannot be listened at", "it is tried again");
            }

            await().ignoreExceptions().atMost(Patience.seconds(40)).untilAsserted(() -> {
                try (SshClient client = SshClient.to(port)) {
                    assertThat(client.readBanner()).isEqualTo("SSH-2.0-fake_" + vm.id());
                }
            });
        }
    }

    @Test
    @Tag("long")
    void guestsThatEndedMeanwhileAreStopped() throws Exception {
        try (ControlProcess control = control(0)) {
            Api api = control.newAccount();
            Sandbox vm = Sandbox.ready(api, "a");
            Sandbox lost = Sandbox.ready(api, "b");
            control.kill();
            try (FakeDriver driver = new FakeDriver(guests(), Duration.ZERO)) {
                driver.end(vm.driverId());
                driver.lose(lost.driverId());
            }

            control.start();

            vm.until("stopped/stopped");
            lost.until("failed/failed");
        }
    }

    /** Whether a VM with the last thing that was asked of it is what it should be. */
    private static final Map<String, String> ENDS = Map.of(
            "create",
            "running/ready",
            "start",
            "running/ready",
            "stop",
            "stopped/stopped",
            "force",
            "destroyed/destroyed");

    private static void ask(Api api, Random random, Map<String, String> asked) {
        if (asked.size() < LIFE_CYCLES || random.nextInt(4) == 0) {
            Api.Reply reply = api.post(Sandbox.PATH, Sandbox.body("n" + asked.size() + "-" + random.nextInt()));
            if (reply.status() == 201) {
                asked.put(reply.json().path("id").asText(), "create");
            }
            return;
        }
        List<String> ids = new ArrayList<>(asked.keySet());
        Sandbox vm = Sandbox.of(api, ids.get(random.nextInt(ids.size())));
        String what = List.of("start", "stop", "stop", "force").get(random.nextInt(4));
        Api.Reply reply = what.equals("start") ? vm.start() : what.equals("stop") ? vm.stop() : vm.force();
        if (reply.status() < 300) {
            asked.put(vm.id(), what);
        }
    }

    @Tag("long")
    @Test
    void afterKillsAtRandomMomentsEveryStateIsTrueAndNothingIsLeftBehind() throws Exception {
        long seed = Long.getLong("sallyport.test.seed", System.nanoTime());
        System.out.println("seed of VmCrashTest: " + seed);
        Random random = new Random(seed);
        Map<String, String> asked = new HashMap<>();
        try (ControlProcess control = control(20)) {
            Api api = control.newAccount();
            for (int kill = 0; kill < KILLS; kill++) {
                for (int i = 0; i < 12; i++) {
                    ask(api, random, asked);
                    Thread.sleep(random.nextInt(30));
                }
                control.kill();
                control.start();
            }
            assertThat(asked).hasSizeGreaterThanOrEqualTo(LIFE_CYCLES);
            asked.forEach((id, what) -> Sandbox.of(api, id).until(ENDS.getOrDefault(what, "")));

            Map<String, JsonNode> all = new HashMap<>();
            String cursor = "";
            do {
                JsonNode page = api.get(Sandbox.PATH + "?limit=100" + cursor).json();
                page.path("data").forEach(vm -> all.put(vm.path("id").asText(), vm));
                cursor = page.path("has_more").asBoolean()
                        ? "&cursor=" + page.path("cursor").asText()
                        : "";
            } while (!cursor.isEmpty());
            assertThat(all.keySet()).as("what was answered is there").containsAll(asked.keySet());
            control.kill();
            try (FakeDriver driver = new FakeDriver(guests(), Duration.ZERO)) {
                Map<VmId, Observed> left = driver.observeAll();
                Set<String> wanted = new HashSet<>();
                all.forEach((id, vm) -> {
                    if (!vm.path("status").asText().equals("destroyed")) {
                        wanted.add(id);
                    }
                });
                assertThat(left.keySet().stream().map(VmId::value).toList())
                        .as("seed " + seed)
                        .containsExactlyInAnyOrderElementsOf(wanted);
                left.forEach((id, seen) -> assertThat(seen instanceof Observed.Running)
                        .as(id + " seed " + seed)
                        .isEqualTo(all.get(id.value()).path("status").asText().equals("running")));
            }
        }
    }
}

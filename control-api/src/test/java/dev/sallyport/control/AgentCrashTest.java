package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A control plane that is killed at any stage of its agents goes on with each where it was, and does nothing twice. */
@Timeout(600)
class AgentCrashTest {

    private static final int KILLS =
            Integer.getInteger("sallyport.test.agent.kills", Boolean.getBoolean("sallyport.full") ? 10 : 1);
    private static final int AGENTS = 3;

    @TempDir
    Path folder;

    @Test
    @Tag("long")
    void afterKillsAtRandomMomentsEveryAgentHasDoneItsWorkOnce() throws Exception {
        long seed = Long.getLong("sallyport.test.seed", System.nanoTime());
        System.out.println("seed of AgentCrashTest: " + seed);
        Random random = new Random(seed);
        List<Agent> agents = new ArrayList<>();
        try (ControlProcess control = new ControlProcess(
                folder,
                TestControl.NO_LIMITS + Database.yaml() + "  sandboxes: {driver: fake, settings: {dir: \""
                        + folder.resolve("guests")
                        + "\", pause_millis: \"20\"}, ssh: {ports: 10000-32767}, agents: {push: true}}\n")) {
            Api api = control.newAccount();
            for (int kill = 0; kill < KILLS; kill++) {
                for (int i = 0; i < AGENTS; i++) {
                    agents.add(Agent.asked(api, Agent.body("a" + agents.size())));
                }
                Thread.sleep(random.nextInt(600));
                control.kill();
                control.start();
            }
            for (Agent agent : agents) {
                agent.untilSaid("pushed to").until("idle");
                assertThat(agent.log()).as("seed " + seed).isEqualTo("""
                        sallyport: cloning https://git.test/ada/a.git
                        sallyport: at main, 0000000000000000000000000000000000000000
                        sallyport: harness claude-code works for 3600 s at most
                        sallyport: the harness ended with 0
                        sallyport: a patch of 44 bytes is kept
                        sallyport: pushed to sallyport/%s
                        """.formatted(agent.id()));
                assertThat(api.get(agent.path() + "/patch").text()).startsWith("diff --git");
                assertThat(agent.delete().status()).isEqualTo(204);
            }
            for (String deleted : List.of("status=pending", "status=running", "status=stopped", "status=failed")) {
                org.awaitility.Awaitility.await()
                        .untilAsserted(() ->
                                assertThat(api.get("/v1/vms?" + deleted).data()).isEmpty());
            }
        }
    }
}

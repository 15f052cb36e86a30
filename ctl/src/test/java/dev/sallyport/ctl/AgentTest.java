package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code agent} and its commands, at a real control plane with made-up guests, whose tasks end at once. */
@Timeout(120)
class AgentTest {

    private static final String UNKNOWN = "agt_00000000000000000000000000";
    private static final String REPO = "https://git.test/a.git";

    @TempDir
    Path folder;

    private final TestControl control = TestControl.shared();
    private Shell shell;
    private String key;

    @BeforeEach
    void signUp() {
        key = control.newKey();
        shell = new Shell(folder)
                .with("SALLYPORT_SERVER", control.url())
                .with("SALLYPORT_API_KEY", key)
                .meanwhile(time -> Thread.sleep(5));
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    private String idle(String name) {
        Shell.Result result =
                shell.run("agent", "create", name, "--repo", REPO, "--prompt", "do it", "--wait", "--json");
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.json().path("status").asText()).isEqualTo("idle");
        return result.json().path("id").asText();
    }

    @Test
    void anAgentIsAskedForWithAllThatItCanHave() throws Exception {
        Path prompt = Files.writeString(folder.resolve("prompt"), "mend\n  \"it\"\n");

        Shell.Result result = shell.run(
                "agent",
                "create",
                "a",
                "--repo",
                REPO,
                "--branch",
                "next",
                "--harness",
                "test",
                "--agent-args",
                "-x 'y z'",
                "--prompt-file",
                prompt.toString());

        assertThat(result.out()).matches("agt_[0-9a-z]{26} created\n");
        JsonNode agent = api("/v1/agents").path("data").path(0);
        assertThat(agent.path("prompt").asText()).isEqualTo("mend\n  \"it\"\n");
        assertThat(agent.path("branch").asText()).isEqualTo("next");
        assertThat(agent.path("harness").asText()).isEqualTo("test");
        assertThat(agent.path("agent_args").asText()).isEqualTo("-x 'y z'");
    }

    @Test
    void listGetAndDelete() {
        String first = idle("one");
        String second = idle("two");

        assertThat(shell.run("agent", "list", "-o", "name").out()).isEqualTo(second + "\n" + first + "\n");
        assertThat(shell.run("agent", "list", "--name", "one", "-o", "name").out())
                .isEqualTo(first + "\n");
        assertThat(shell.run("agent", "list", "--status", "running").out()).doesNotContain("agt_");
        assertThat(shell.run("agent", "list", "-o", "wide").out().lines().toList())
                .hasSize(3)
                .first()
                .asString()
                .contains("NAME", "ID", "STATUS", "HARNESS", "REPO", "BRANCH", "VM", "AGE");
        assertThat(shell.run("agent", "get", "one").out()).contains(first, "idle", "claude-code");
        assertThat(shell.run("agent", "get", first, "--json").json().path("id").asText())
                .isEqualTo(first);
        assertThat(shell.run("agent", "delete", "one", UNKNOWN).code()).isEqualTo(1);
        assertThat(shell.run("agent", "delete", UNKNOWN, "--ignore-not-found").code())
                .isZero();
        assertThat(api("/v1/agents").path("data").findValuesAsText("id")).containsExactly(second);
        assertThat(shell.run("agent", "get", first).err()).startsWith("sallyport: refused with 404 agent_not_found");
    }

    @Test
    void logsAreShownAndFollowedToTheirEnd() {
        String id = idle("a");

        Shell.Result shown = shell.run("agent", "logs", "a");
        Shell.Result followed = shell.run("agent", "logs", id, "--follow");

        assertThat(shown.code()).as(shown.err()).isZero();
        assertThat(shown.out().lines())
                .contains("sallyport: cloning " + REPO, "sallyport: the harness ended with 0")
                .doesNotContain("");
        assertThat(followed).isEqualTo(shown);
        List<String> lines =
                shell.run("agent", "logs", id, "--json").out().lines().toList();
        assertThat(lines).isNotEmpty().allMatch(line -> line.startsWith("{\"at\":\""));
        assertThat(shell.run("agent", "logs", UNKNOWN).err()).startsWith("sallyport: refused with 404 agent_not_found");
    }

    @Test
    void aPatchGoesIntoAFile() {
        idle("a");
        Path file = folder.resolve("a.patch");

        assertThat(shell.run("agent", "patch", "a", "--file", file.toString()).code())
                .isZero();
        assertThat(file).content().startsWith("diff --git ");
        assertThat(shell.run("agent", "patch", "a", "--file", file.toString()).code())
                .as("nothing is overwritten")
                .isEqualTo(2);
    }

    @Test
    void whatIsNotUnderstoodIsRefused() {
        assertThat(shell.run("agent", "create", "a", "--repo", REPO).code()).isEqualTo(2);
        assertThat(shell.run("agent", "create", "a", "--prompt", "p").code()).isEqualTo(2);
        Shell.Result harness =
                shell.run("agent", "create", "a", "--repo", REPO, "--prompt", "p", "--harness", "nobody");
        assertThat(harness.code()).isEqualTo(1);
        assertThat(harness.err()).contains("422 validation_error", "claude-code, test");
    }
}

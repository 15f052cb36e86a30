package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Agents in real guests, in a machine inside this one, which work on a repository behind the gate. Needs root, what the
 * driver needs, git, and an image in {@code TEST_SANDBOX_IMAGE}.
 */
@Timeout(600)
abstract class AgentScenarioSuite {

    private static final String PASSWORD = "s3cr3t-of-the-origin";

    private ScenarioMachine machine;
    private Path repository;

    /** The driver whose guests they are. */
    abstract String driver();

    @BeforeEach
    void open() throws Exception {
        Tools.require("git");
        machine = ScenarioMachine.open(driver());
        Path repositories = Files.createDirectory(machine.folder().resolve("repositories"));
        repository = repositories.resolve("app.git");
        Path work = machine.folder().resolve("work");
        Tools.run("git", "init", "-q", "-b", "trunk", work.toString());
        Files.writeString(work.resolve("README"), "read me\n");
        Tools.run("git", "-C", work.toString(), "add", "README");
        Tools.run(
                "git",
                "-C",
                work.toString(),
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.com",
                "commit",
                "-q",
                "-m",
                "begin");
        Tools.run("git", "clone", "-q", "--bare", work.toString(), repository.toString());
        Tools.run("git", "-C", repository.toString(), "config", "http.receivepack", "true");
        machine.begin("served", GitOrigin.class, repositories.toString(), "10.99.2.3", PASSWORD);
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    private String create(String harness) throws Exception {
        JsonNode made = machine.api(
                "POST",
                "/v1/agents",
                "{\"name\": \"mend\", \"repo\": \"http://10.99.2.3/app.git\", \"harness\": \"" + harness + "\", "
                        + "\"prompt\": \"do `id` it's\", \"agent_args\": \"-x 'y $(id) z'\"}");
        assertThat(made.path("status").asText()).as(made.toString()).isEqualTo("provisioning");
        return made.path("id").asText();
    }

    /** Follows the log to its end, as curl does. */
    private String log(String agent) throws Exception {
        String events = events(agent, "");
        assertThat(events).as(text(events)).contains("event: end\ndata: {\"status\":\"idle\"}");
        return text(events);
    }

    private String events(String agent, String query) throws Exception {
        return curl("/v1/agents/" + agent + "/logs" + query);
    }

    private String curl(String path) throws Exception {
        return Tools.run(machine.inside(List.of(
                "curl",
                "-sSN",
                "-m",
                "240",
                "-H",
                "Authorization: Bearer " + machine.token(),
                "http://127.0.0.1:8090" + path)));
    }

    private static String text(String events) throws Exception {
        StringBuilder text = new StringBuilder();
        for (String line : events.split("\n", -1)) {
            if (line.startsWith("data: ") && line.contains("\"text\"")) {
                text.append(ScenarioMachine.json(line.substring(6)).path("text").asText());
            }
        }
        return text.toString();
    }

    private void untilSaid(String agent, String words) throws Exception {
        String said = "";
        for (int i = 0; i < 1_000 && !said.contains(words); i++) {
            Thread.sleep(50);
            said = text(events(agent, "?follow=false"));
        }
        assertThat(said).contains(words);
    }

    /** An account that may reach the repository and has its password. */
    private void signUpWithAWayToTheRepository() throws Exception {
        machine.signUp("first@example.com");
        machine.api("POST", "/v1/egress/rules", "{\"cidr\": \"10.99.2.3/32\"}");
        machine.api(
                "POST",
                "/v1/secrets",
                "{\"name\": \"git\", \"secret\": \"" + PASSWORD
                        + "\", \"env_var\": \"GIT_TOKEN\", \"hosts\": [\"10.99.2.3\"]}");
    }

    private String git(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("git", "-C", repository.toString()));
        command.addAll(List.of(arguments));
        return Tools.run(command);
    }

    @Test
    void anAgentWorksOnARepositoryBehindTheGateWithAPlaceholderAlone() throws Exception {
        signUpWithAWayToTheRepository();

        String agent = create("test");
        String log = log(agent);

        JsonNode seen = machine.api("GET", "/v1/agents/" + agent, "");
        assertThat(seen.path("status").asText()).as(log).isEqualTo("idle");
        assertThat(seen.path("branch").asText()).isEqualTo("trunk");
        assertThat(log)
                .contains("sallyport: at trunk, ", "do `id` it's", "-x\ny $(id) z\n", "the harness ended with 0")
                .contains("pushed to sallyport/" + agent)
                .doesNotContain(PASSWORD);
        assertThat(git("show", "sallyport/" + agent + ":prompt.txt")).isEqualTo("do `id` it's");
        assertThat(git("show", "sallyport/" + agent + ":arguments.txt")).isEqualTo("-x\ny $(id) z\n");
        String patch = curl("/v1/agents/" + agent + "/patch");
        assertThat(patch).contains("+++ b/prompt.txt", "+do `id` it's");
        JsonNode event = machine.api(
                        "GET",
                        "/v1/audit/egress?vm_id=" + seen.path("vm_id").asText() + "&verdict=allowed&limit=500",
                        "")
                .path("data");
        assertThat(event.findValuesAsText("host")).contains("10.99.2.3");
        assertThat(event.findValuesAsText("secret")).anyMatch(name -> name.endsWith("/git"));

        machine.api("DELETE", "/v1/agents/" + agent, "");
        assertThat(machine.api("GET", "/v1/agents/" + agent, "")
                        .at("/error/code")
                        .asText())
                .isEqualTo("agent_not_found");
        machine.untilEmpty("vms");
    }

    @Test
    void anAgentThatMayNotReachItsRepositoryIsIdleAndItsLogSaysSo() throws Exception {
        machine.signUp("first@example.com");

        String agent = create("test");
        String log = log(agent);

        assertThat(log).contains("403", "sallyport: the clone ended with 128");
        assertThat(machine.log(GitOrigin.class)).doesNotContain("GET ");
        machine.api("DELETE", "/v1/agents/" + agent, "");
        machine.untilEmpty("vms");
    }

    @Test
    void anAgentIsGoneOnWithByAControlPlaneThatWasKilledAtEachOfItsStages() throws Exception {
        signUpWithAWayToTheRepository();
        String agent = create("patient");
        machine.killControlPlane();
        untilSaid(agent, "begun\n");
        machine.killControlPlane();
        git("branch", "go");
        untilSaid(agent, "the harness ended with 0");
        machine.killControlPlane();

        String log = log(agent);

        assertThat(log).containsOnlyOnce("sallyport: at trunk, ").containsOnlyOnce("begun\n");
        assertThat(log).containsOnlyOnce("the harness ended with 0").contains("sallyport: a patch of ");
        assertThat(curl("/v1/agents/" + agent + "/patch")).contains("+++ b/made.txt");
        machine.api("DELETE", "/v1/agents/" + agent, "");
        machine.untilEmpty("vms");
    }
}

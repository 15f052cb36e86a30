package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.FakeDriver;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** docs/spec/resource-api.md, section "Agents", and the rows of other tables on agents: each over HTTP, by its name. */
class AgentRowsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    /** The table of these alone. */
    private static final String WHOLE = "Agents";

    /** Of tables on everything, the rows on these. */
    private static final List<String> PARTS = List.of(
            "Resources and their fields: Agent",
            "Errors: agent_name_taken",
            "Errors: agent_not_found",
            "Limits: Agent list page");

    private static final String UNKNOWN = Agent.PATH + "/agt_00000000000000000000000000";

    private final Map<String, Consumer<Api>> rows = new LinkedHashMap<>();
    private final FakeDriver driver = CONTROL.sandboxes();

    @BeforeEach
    void work() {
        driver.programs(Agent.working());
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private void row(String name, Consumer<Api> test) {
        assertThat(rows.put(name, test)).as(name).isNull();
    }

    private void fields() {
        row("Resources and their fields: Agent", api -> {
            Agent agent = Agent.asked(api, Agent.body("a"));
            JsonNode made = agent.json();
            assertThat(made.propertyStream().map(Map.Entry::getKey).toList())
                    .containsExactly(
                            "id",
                            "name",
                            "repo",
                            "branch",
                            "harness",
                            "prompt",
                            "agent_args",
                            "status",
                            "vm_id",
                            "created_at",
                            "updated_at");
            assertThat(agent.id()).matches("agt_[0-9a-z]{26}");
            assertThat(made.path("name").asText()).isEqualTo("a");
            assertThat(made.path("repo").asText()).isEqualTo(Agent.REPO);
            assertThat(made.path("harness").asText()).isEqualTo("claude-code");
            assertThat(made.path("prompt").asText()).isEqualTo("p");
            assertThat(made.path("agent_args").isNull()).isTrue();
            assertThat(made.path("vm_id").asText()).matches("vm_[0-9a-z]{26}");
            for (String time : List.of("created_at", "updated_at")) {
                assertThat(made.path(time).asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
            }
            assertThat(agent.until("running").json().path("branch").asText()).isEqualTo("main");
        });
    }

    private void endpoints() {
        String in = WHOLE + ": ";
        row(in + "POST | /v1/agents", api -> {
            Api.Reply made = api.post(
                    Agent.PATH,
                    "{\"name\": \"a\", \"repo\": \"git@git.test:a.git\", \"branch\": \"next/1\", \"harness\": \"test\","
                            + " \"prompt\": \"a\\nb\", \"agent_args\": \"-x 'y z'\"}");
            assertThat(made.status()).isEqualTo(201);
            assertThat(made.json().path("status").asText()).isEqualTo("provisioning");
            assertThat(made.json().path("branch").asText()).isEqualTo("next/1");
            assertThat(made.json().path("agent_args").asText()).isEqualTo("-x 'y z'");
            assertThat(api.post(Agent.PATH, "{}").fields()).containsExactlyInAnyOrder("name", "repo", "prompt");
            JsonNode usual = api.post(Agent.PATH, Agent.body("b")).json();
            assertThat(usual.path("branch").isNull()).isTrue();
            assertThat(usual.path("harness").asText()).isEqualTo("claude-code");
        });
        row(in + "GET | /v1/agents", api -> {
            Agent first = Agent.asked(api, Agent.body("a")).until("running");
            Agent second = Agent.asked(api, Agent.body("b")).until("running");
            driver.endTask(second.vm(), Agent.HARNESS, 0);
            second.until("idle");
            assertThat(api.get(Agent.PATH).data().findValuesAsText("id")).containsExactly(second.id(), first.id());
            assertThat(api.get(Agent.PATH + "?status=idle").data().findValuesAsText("id"))
                    .containsExactly(second.id());
            assertThat(api.get(Agent.PATH + "?status=running").data().findValuesAsText("id"))
                    .containsExactly(first.id());
            assertThat(api.get(Agent.PATH + "?status=provisioning").data()).isEmpty();
            assertThat(api.get(Agent.PATH + "?status=gone").fields()).containsExactly("status");
            assertThat(api.get(Agent.PATH + "?name=a").data().findValuesAsText("id"))
                    .containsExactly(first.id());
            JsonNode page = api.get(Agent.PATH + "?limit=1").json();
            assertThat(page.path("has_more").asBoolean()).isTrue();
            String rest = "?limit=1&cursor=" + page.path("cursor").asText();
            JsonNode last = api.get(Agent.PATH + rest).json();
            assertThat(last.path("data").findValuesAsText("id")).containsExactly(first.id());
            assertThat(last.path("has_more").asBoolean()).isFalse();
            assertThat(last.path("cursor").isNull()).isTrue();
            assertThat(api.get(Agent.PATH + rest + "&name=a").error()).isEqualTo("422 validation_error");
            assertThat(first.delete().status()).isEqualTo(204);
            assertThat(api.get(Agent.PATH).data().findValuesAsText("id")).containsExactly(second.id());
        });
        row(in + "GET | /v1/agents/{agent_id}", api -> {
            Agent agent = Agent.asked(api, Agent.body("a"));
            assertThat(agent.json().path("id").asText()).isEqualTo(agent.id());
            assertThat(CONTROL.newAccount().get(agent.path()).error()).isEqualTo("404 agent_not_found");
            assertThat(agent.delete().status()).isEqualTo(204);
            assertThat(api.get(agent.path()).error()).isEqualTo("404 agent_not_found");
        });
        row(in + "DELETE | /v1/agents/{agent_id}", api -> {
            Agent agent = Agent.asked(api, Agent.body("a")).until("running");
            Sandbox vm = agent.sandbox();
            Api.Reply deleted = agent.delete();
            assertThat(deleted.status()).as("in any state").isEqualTo(204);
            assertThat(deleted.text()).isEmpty();
            vm.until("destroyed/destroyed");
            assertThat(agent.delete().error()).isEqualTo("404 agent_not_found");
        });
    }

    private void errorsAndLimits() {
        row("Errors: agent_name_taken", api -> {
            Agent agent = Agent.asked(api, Agent.body("a"));
            assertThat(api.post(Agent.PATH, Agent.body("a")).error()).isEqualTo("409 agent_name_taken");
            assertThat(CONTROL.newAccount().post(Agent.PATH, Agent.body("a")).status())
                    .isEqualTo(201);
            agent.delete();
            assertThat(api.post(Agent.PATH, Agent.body("a")).status()).isEqualTo(201);
        });
        row("Errors: agent_not_found", api -> {
            assertThat(api.get(UNKNOWN).error()).isEqualTo("404 agent_not_found");
            assertThat(api.delete(UNKNOWN).error()).isEqualTo("404 agent_not_found");
            assertThat(api.get(UNKNOWN + "/logs").error()).isEqualTo("404 agent_not_found");
            assertThat(api.get(UNKNOWN + "/patch").error()).isEqualTo("404 agent_not_found");
            assertThat(api.get(Agent.PATH + "/x").error()).isEqualTo("404 agent_not_found");
        });
        row("Limits: Agent list page", api -> {
            for (int i = 0; i < 21; i++) {
                Agent.asked(api, Agent.body("a" + i));
            }
            assertThat(api.get(Agent.PATH).data()).hasSize(20);
            assertThat(api.get(Agent.PATH + "?limit=100").data()).hasSize(21);
            assertThat(api.get(Agent.PATH + "?limit=101").fields()).containsExactly("limit");
            assertThat(api.get(Agent.PATH + "?limit=0").fields()).containsExactly("limit");
        });
    }

    private Map<String, Consumer<Api>> all() {
        rows.clear();
        fields();
        endpoints();
        errorsAndLimits();
        return rows;
    }

    @Test
    void everyRowHasATest() throws IOException {
        List<String> expected =
                SpecificationTables.rows(
                                "resource-api", List.of(WHOLE, "Resources and their fields", "Errors", "Limits"))
                        .stream()
                        .map(row -> row.replaceFirst(" \\|$", ""))
                        .filter(row -> PARTS.contains(row) || row.startsWith(WHOLE + ": "))
                        .toList();

        assertThat(expected).containsAll(PARTS);
        assertThat(all().keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @TestFactory
    Stream<DynamicTest> rows() {
        return all().entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(), () -> row.getValue().accept(CONTROL.newAccount())));
    }
}

package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeProgram;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What may be asked of {@code /v1/agents}; docs/spec/resource-api.md, section "Agents", and docs/spec/decisions.md, section 15
 * ("Field limits") and 15a ("Order of checks", "Bodies", "Answers", "Queries", "Agents").
 */
class AgentRequestsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    private static final String PATH = Agent.PATH;
    private static final String UNKNOWN = PATH + "/agt_00000000000000000000000000";

    private final FakeDriver driver = CONTROL.sandboxes();
    private Api api;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
        driver.programs(Agent.working());
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static String with(String field, String json) {
        return Api.with(Agent.body("a"), field, json);
    }

    private List<String> names(String query) {
        return api.get(PATH + query).data().findValuesAsText("name");
    }

    @Test
    void aNameHas64CharactersAtMost() {
        assertThat(api.post(PATH, with("name", "\"" + "n".repeat(64) + "\"")).status())
                .isEqualTo(201);
        assertThat(api.post(PATH, with("name", "\"" + "n".repeat(65) + "\"")).fields())
                .containsExactly("name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name | null",
                "name | 1",
                "name | \" \"",
                "repo | null",
                "repo | \"\"",
                "prompt | null",
                "prompt | \"\"",
                "prompt | []",
                "branch | 1",
                "branch | \"\"",
                "harness | 1",
                "harness | \"\"",
                "agent_args | []",
                "snapshot_id | 1",
                "image | \"debian-12\""
            })
    void whatIsMissingOrOfAnotherTypeOrUnknownIs422(String field, String json) {
        assertThat(api.post(PATH, with(field, json)).fields()).containsExactly(field);
    }

    @Test
    void nullIsAbsentWhereAFieldIsOptional() {
        ObjectNode body = (ObjectNode) Api.tree(Agent.body("a"));
        for (String field : List.of("branch", "harness", "agent_args", "snapshot_id")) {
            body.putNull(field);
        }

        JsonNode made = api.post(PATH, body.toString()).json();

        assertThat(made.path("harness").asText()).isEqualTo("claude-code");
        assertThat(made.path("branch").isNull()).isTrue();
        assertThat(made.path("agent_args").isNull()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "status", "vm_id", "created_at", "updated_at"})
    void whatIsTheServersIsIgnored(String field) {
        JsonNode made = api.post(PATH, with(field, "\"mine\"")).json();

        assertThat(made.path("status").asText()).isEqualTo("provisioning");
        assertThat(made.path(field).asText()).isNotEqualTo("mine");
    }

    @Test
    void checksComeInTheirOrder() {
        Agent agent = Agent.asked(api, Agent.body("a"));
        ObjectNode wrong = (ObjectNode) Api.tree(with("repo", "\"x\""));

        assertThat(CONTROL.anonymous().post(PATH, "{").error()).isEqualTo("401 unauthorized");
        assertThat(api.put(PATH, "{").error()).isEqualTo("405 method_not_allowed");
        assertThat(api.withHeader("Content-Type", "text/plain").post(PATH, "{").error())
                .isEqualTo("415 unsupported_media_type");
        assertThat(api.post(PATH, "{").error()).isEqualTo("400 bad_request");
        assertThat(api.post(PATH, null).error()).isEqualTo("400 bad_request");
        assertThat(api.post(PATH, wrong.toString()).error())
                .as("422 before 409")
                .isEqualTo("422 validation_error");
        wrong.put("snapshot_id", "snap_00000000000000000000000000");
        assertThat(api.post(PATH, wrong.toString()).error())
                .as("404 before 422")
                .isEqualTo("404 snapshot_not_found");
        assertThat(api.get(UNKNOWN + "/logs?follow=perhaps").error()).isEqualTo("404 agent_not_found");
        assertThat(api.get(agent.path() + "/logs?follow=perhaps").fields()).containsExactly("follow");
        assertThat(api.post(PATH, Agent.body("a")).error()).isEqualTo("409 agent_name_taken");
    }

    @Test
    void filtersAreExactAndHoldTogether() {
        for (String name : List.of("a", "A", "ab")) {
            Agent.asked(api, Agent.body(name)).until("running");
        }

        assertThat(names("?name=a")).containsExactly("a");
        assertThat(names("?name=A&status=running")).containsExactly("A");
        assertThat(names("?name=a&status=idle")).isEmpty();
        assertThat(names("?name=b")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"status=Running", "status=", "limit=x", "cursor=x", "name=a&name=b", "limit=1&limit=1"})
    void badQueriesAre422(String query) {
        assertThat(api.get(PATH + "?" + query).fields()).containsExactly(query.replaceFirst("=.*", ""));
    }

    @Test
    void aPageGoesOnWhereTheLastOneEndedWhateverIsMadeAndDeletedMeanwhile() {
        for (String name : List.of("a", "b", "c")) {
            Agent.asked(api, Agent.body(name));
        }
        JsonNode page = api.get(PATH + "?limit=1").json();

        assertThat(api.delete(PATH + "/" + page.at("/data/0/id").asText()).status())
                .isEqualTo(204);
        Agent.asked(api, Agent.body("d"));

        JsonNode rest = api.get(PATH + "?limit=2&cursor=" + page.path("cursor").asText())
                .json();
        assertThat(rest.path("data").findValuesAsText("name")).containsExactly("b", "a");
        assertThat(rest.path("has_more")).isEqualTo(Api.tree("false"));
        assertThat(rest.path("cursor")).isEqualTo(Api.tree("null"));
    }

    @Test
    void updatedAtAdvancesWithEachState() {
        JsonNode made = api.post(PATH, Agent.body("a")).json();
        Agent agent = Agent.of(api, made.path("id").asText()).until("running");
        JsonNode running = agent.json();
        driver.endTask(agent.vm(), Agent.HARNESS, 0);
        JsonNode idle = agent.until("idle").json();

        assertThat(made.path("updated_at")).isEqualTo(made.path("created_at"));
        assertThat(running.path("updated_at").asText())
                .isGreaterThan(made.path("updated_at").asText())
                .isLessThan(idle.path("updated_at").asText());
        assertThat(idle.path("created_at")).isEqualTo(made.path("created_at"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"provisioning", "running", "idle"})
    void anAgentIsDeletedInAnyStateTogetherWithItsVm(String status) {
        if (status.equals("provisioning")) {
            driver.programs(Agent.but(Agent.CLONE, new FakeProgram("", null)));
        }
        Agent agent = Agent.asked(api, Agent.body("a"));
        Sandbox vm = agent.sandbox().until("running/ready");
        if (status.equals("idle")) {
            agent.until("running");
            driver.endTask(agent.vm(), Agent.HARNESS, 0);
        }
        agent.until(status);

        assertThat(agent.delete().status()).isEqualTo(204);

        vm.until("destroyed/destroyed");
        assertThat(api.get(agent.path()).error()).isEqualTo("404 agent_not_found");
        assertThat(names("")).isEmpty();
        assertThat(names("?status=" + status)).isEmpty();
    }

    @Test
    void changesAreRecordedWithoutWhatAnAgentIsTold() {
        Agent agent = Agent.asked(api, with("prompt", "\"a confidential prompt\""));
        agent.delete();

        JsonNode record = api.get("/v1/audit/admin?resource=agent&order=asc").data();

        assertThat(record.findValuesAsText("action")).containsExactly("create", "delete");
        assertThat(record.findValuesAsText("resource_id")).containsOnly(agent.id());
        assertThat(record.at("/0/after/repo").asText()).isEqualTo(Agent.REPO);
        assertThat(record.toString()).doesNotContain("confidential");
    }
}

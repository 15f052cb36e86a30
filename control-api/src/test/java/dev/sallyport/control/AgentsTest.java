package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.FakeProgram;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.Origin;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmSpec;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/agents}; docs/spec/decisions.md, section 15a, "Agents". */
@Timeout(120)
class AgentsTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + """
              sandboxes:
                driver: fake
                ssh: {ports: 10000-32767}
                limits: {per_account: 3}
                agents:
                  harnesses:
                    - {name: mine, command: [my agent, --repo, "{repository}", "{arguments}", "--prompt={prompt}", "{prompt_file}"], image: debian-12}
                  time_budget: 10m
                  log_size: 64KiB
            """);

    private final FakeDriver driver = CONTROL.sandboxes();
    private Api api;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
        driver.programs(Agent.working());
    }

    @AfterEach
    void letGo() {
        driver.hold(null);
        driver.miss(null);
        driver.failAlways(Step.CREATE, null);
        driver.failAlways(Step.RUN, null);
        driver.failAlways(Step.REPORT, null);
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private Agent running(String name) {
        return Agent.asked(api, Agent.body(name)).until("running");
    }

    private GuestTask task(Agent agent, TaskName name) {
        return driver.task(agent.vm(), name).orElseThrow();
    }

    @Test
    void anAgentIsProvisioningUntilItsHarnessLivesAndIdleOnceThatHasEnded() {
        driver.programs(Agent.but(Agent.CLONE, new FakeProgram("", null)));
        Agent agent = Agent.asked(api, Agent.body("a"));
        await().until(() -> driver.task(agent.vm(), Agent.CLONE).isPresent());
        assertThat(agent.json().path("status").asText()).isEqualTo("provisioning");
        assertThat(agent.json().path("branch").isNull()).isTrue();

        driver.programs(Agent.working());
        driver.endTask(agent.vm(), Agent.CLONE, 0);
        agent.until("running");
        assertThat(agent.json().path("branch").asText()).isEqualTo("main");
        driver.write(agent.vm(), Agent.HARNESS, "thinking\n");
        agent.untilSaid("thinking\n");
        driver.endTask(agent.vm(), Agent.HARNESS, 3);
        agent.until("idle");

        agent.untilSaid("nothing was changed");
        assertThat(agent.log()).isEqualTo("""
                        sallyport: cloning https://git.test/ada/a.git
                        sallyport: at main, 0123456789abcdef0123456789abcdef01234567
                        sallyport: harness claude-code works for 600 s at most
                        thinking
                        sallyport: the harness ended with 3
                        sallyport: nothing was changed
                        """);
    }

    @Test
    void itsVmIsOneOfTheAccountCalledByItsIdIntoWhichNobodyCanLogIn() {
        Agent agent = running("a");

        assertThat(api.get("/v1/vms?name=" + agent.id()).data().findValuesAsText("id"))
                .containsExactly(agent.vm().value());
        VmSpec spec = driver.spec(agent.vm()).orElseThrow();
        assertThat(spec.guest().authorizedKey()).matches("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43}");
        Agent other = Agent.asked(api, Agent.body("b"));
        await().until(() -> driver.spec(other.vm()).isPresent());
        assertThat(driver.spec(other.vm()).orElseThrow().guest().authorizedKey())
                .isNotEqualTo(spec.guest().authorizedKey());
    }

    @Test
    void theRepositoryIsClonedWithPlaceholdersOfSecretsAsGitsPassword() {
        api.post("/v1/secrets", "{\"name\": \"hub\", \"secret\": \"s3cret-value\", \"env_var\": \"GITHUB_TOKEN\"}");
        Agent agent = Agent.asked(
                        api,
                        "{\"name\": \"a\", \"repo\": \"https://git.test/a;b.git\", \"branch\": \"x\", \"prompt\": \"p\"}")
                .until("running");

        GuestTask clone = task(agent, Agent.CLONE);
        assertThat(clone.command())
                .contains("clone", "--branch=x", "--", "https://git.test/a;b.git")
                .contains("user.name=claude-code", "user.email=" + agent.id() + "@sallyport.invalid")
                .contains("credential.helper=!sh /run/sallyport/tasks/agent-clone/credentials")
                .endsWith("/root/repository");
        assertThat(clone.files().get("credentials")).contains("\"${GITHUB_TOKEN:-}\"");
        assertThat(driver.spec(agent.vm()).orElseThrow().guest().environment())
                .containsEntry("GITHUB_TOKEN", "SALLYPORT_PROXY_hub")
                .doesNotContainValue("s3cret-value");
        assertThat(agent.json().path("branch").asText())
                .as("what was asked for")
                .isEqualTo("x");
    }

    @Test
    void promptAndArgumentsReachTheHarnessAsTheyAre() {
        ObjectNode body = (ObjectNode) Api.tree(Agent.body("a"));
        body.put("harness", "mine").put("prompt", "it's {arguments}\n$(id) `id`");
        body.put("agent_args", "-m 'a b' \"c\\\"d\" $(id)");

        Agent agent = Agent.asked(api, body.toString()).until("running");

        GuestTask task = task(agent, Agent.HARNESS);
        assertThat(task.command())
                .containsExactly(
                        "env",
                        "--chdir=/root/repository",
                        "my agent",
                        "--repo",
                        "/root/repository",
                        "-m",
                        "a b",
                        "c\"d",
                        "$(id)",
                        "--prompt=it's {arguments}\n$(id) `id`",
                        "/run/sallyport/tasks/agent-harness/prompt");
        assertThat(task.input()).isEqualTo("prompt");
        assertThat(task.files())
                .containsEntry("prompt", "it's {arguments}\n$(id) `id`")
                .containsEntry("arguments", "-m 'a b' \"c\\\"d\" $(id)");
        assertThat(task.limit()).isEqualTo(Duration.ofMinutes(10));
        assertThat(driver.spec(agent.vm()).orElseThrow().origin())
                .isEqualTo(new Origin.OfImage(new ImageName("debian-12")));
    }

    @Test
    void anAgentBeginsAsASnapshot() {
        Sandbox vm = Sandbox.ready(api, "source");
        String snapshot = vm.snapshot(null).data().path("id").asText();
        Sandbox.awaitSnapshot(api, snapshot, "ready");
        ObjectNode body = (ObjectNode) Api.tree(Agent.body("a"));
        body.put("snapshot_id", snapshot);
        driver.hold(vm.driverId()::equals);
        String pending = vm.snapshot(null).data().path("id").asText();

        Agent agent = Agent.asked(api, body.toString()).until("running");

        assertThat(driver.spec(agent.vm()).orElseThrow().origin())
                .isEqualTo(new Origin.OfSnapshot(new SnapshotId(snapshot)));
        ObjectNode other = (ObjectNode) Api.tree(Agent.body("b"));
        assertThat(api.post(Agent.PATH, other.put("snapshot_id", pending).toString())
                        .error())
                .isEqualTo("409 snapshot_not_ready");
        other.put("snapshot_id", "snap_00000000000000000000000000");
        assertThat(api.post(Agent.PATH, other.toString()).error()).isEqualTo("404 snapshot_not_found");
        assertThat(CONTROL.newAccount().post(Agent.PATH, body.toString()).error())
                .isEqualTo("404 snapshot_not_found");
    }

    @Test
    void aCloneThatFailsMakesItIdleAndTheLogSaysWhy() {
        driver.programs(Agent.but(Agent.CLONE, new FakeProgram("fatal: repository not found", 128)));

        Agent agent = Agent.asked(api, Agent.body("a")).until("idle");

        assertThat(agent.log()).contains("fatal: repository not found", "sallyport: the clone ended with 128\n");
        assertThat(driver.task(agent.vm(), Agent.HARNESS)).isEmpty();
    }

    @Test
    void aRepositoryWithoutACommitMakesItIdle() {
        driver.programs(Agent.but(new TaskName("agent-head"), new FakeProgram("fatal: ambiguous argument\n", 128)));

        Agent agent = Agent.asked(api, Agent.body("a")).until("idle");

        assertThat(agent.log()).contains("the repository has nothing to work on: fatal: ambiguous argument\n");
    }

    @Test
    void itsPatchIsKept() {
        String patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n" + "+line\n".repeat(2_000);
        driver.programs(Agent.but(Agent.PATCH, new FakeProgram(patch, 0)));
        Agent agent = running("a");
        assertThat(api.get(agent.path() + "/patch").error()).isEqualTo("404 patch_not_found");
        driver.endTask(agent.vm(), Agent.HARNESS, 0);
        agent.until("idle").untilSaid("a patch of " + patch.length() + " bytes is kept");

        assertThat(task(agent, Agent.PATCH).command()).endsWith("--no-textconv", Agent.COMMIT);
        assertThat(api.get(agent.path() + "/patch").text()).isEqualTo(patch);
        assertThat(CONTROL.newAccount().get(agent.path() + "/patch").error()).isEqualTo("404 agent_not_found");
    }

    @ParameterizedTest
    @CsvSource({"stop, its VM was stopped", "destroy, its VM was destroyed"})
    void anAgentWhoseVmDoesNotRunAnyMoreIsIdleForGood(String how, String why) {
        Agent agent = running("a");
        Sandbox vm = agent.sandbox();

        assertThat((how.equals("stop") ? vm.stop() : vm.force()).status()).isLessThan(300);
        agent.until("idle").untilSaid("sallyport: " + why + "\n");
        if (how.equals("stop")) {
            vm.until("stopped/stopped");
            vm.start();
            vm.until("running/ready");
            assertThat(driver.task(agent.vm(), Agent.HARNESS))
                    .as("there is no way back")
                    .isEmpty();
            assertThat(agent.json().path("status").asText()).isEqualTo("idle");
        }
        assertThat(agent.delete().status()).isEqualTo(204);
        vm.until("destroyed/destroyed");
    }

    @Test
    void aVmThatFailsMakesItIdle() {
        driver.failAlways(Step.CREATE, new VmException(Reason.IMAGE_NOT_FOUND, "there is no image x"));

        Agent agent = Agent.asked(api, Agent.body("a")).until("idle");

        assertThat(agent.log()).contains("its VM has failed; the events of " + agent.vm() + " say why");
        assertThat(agent.sandbox().messages()).contains("there is no image x");
    }

    @Test
    void aDriverThatIsAwayIsWaitedFor() {
        driver.failAlways(Step.REPORT, new VmException(Reason.UNAVAILABLE, "sandboxd is away"));
        Agent agent = Agent.asked(api, Agent.body("a"));
        await().until(() -> driver.task(agent.vm(), Agent.CLONE).isPresent());

        driver.failAlways(Step.REPORT, null);

        agent.until("running");
    }

    @Test
    void aTaskThatNoRepetitionMakesRightMakesItIdle() {
        driver.failAlways(Step.RUN, new VmException(Reason.INVALID, "no such thing"));

        Agent agent = Agent.asked(api, Agent.body("a")).until("idle");

        assertThat(agent.log()).contains("sallyport: no such thing\n");
    }

    @Test
    void aHarnessWhoseTimeIsOverIsToldSoAndOneThatDoesNotEndIsEndedWithItsVm() {
        Agent first = running("a");
        Agent second = running("b");
        CONTROL.clock().advance(Duration.ofMinutes(10));
        driver.endTask(first.vm(), Agent.HARNESS, 124);
        first.until("idle");
        assertThat(first.log()).contains("sallyport: its time, 600 s, is over\n");
        assertThat(second.json().path("status").asText()).isEqualTo("running");

        CONTROL.clock().advance(Duration.ofMinutes(2));

        second.until("idle").untilSaid("its VM is stopped");
        second.sandbox().until("stopped/stopped");
    }

    @Test
    void aCloneThatDoesNotEndIsEndedWithItsVm() {
        driver.programs(Agent.but(Agent.CLONE, new FakeProgram("", null)));
        Agent agent = Agent.asked(api, Agent.body("a")).untilSaid("sallyport: cloning");

        CONTROL.clock().advance(Duration.ofMinutes(32));

        agent.until("idle").untilSaid("its VM is stopped");
        agent.sandbox().until("stopped/stopped");
    }

    @Test
    void agentsAreOfTheQuotaOfVms() {
        Sandbox.asked(api, "vm");
        Agent agent = Agent.asked(api, Agent.body("a"));
        Agent.asked(api, Agent.body("b"));

        assertThat(api.post(Agent.PATH, Agent.body("c")).error()).isEqualTo("409 quota_exceeded");
        assertThat(api.post(Sandbox.PATH, Sandbox.body("c")).error()).isEqualTo("409 quota_exceeded");
        agent.delete();
        assertThat(api.post(Agent.PATH, Agent.body("c")).status()).isEqualTo(201);
    }

    @Test
    void withoutSandboxesThereAreNoAgents() {
        driver.miss("nothing runs here");
        await().untilAsserted(() ->
                assertThat(api.post(Agent.PATH, Agent.body("a")).error()).isEqualTo("503 sandboxes_unavailable"));
        driver.miss(null);
        await().untilAsserted(() ->
                assertThat(api.post(Agent.PATH, Agent.body("b")).status()).isEqualTo(201));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://git.test/a.git",
                "http://git.test:8080/a",
                "https://user@git.test/a%20b.git",
                "ssh://git@git.test/~/a.git",
                "git://[2001:db8::1]/a.git",
                "git@git.test:ada/a.git"
            })
    void theUrlsOfGitRepositoriesAreTaken(String repo) {
        ObjectNode body = (ObjectNode) Api.tree(Agent.body("a"));

        assertThat(api.post(Agent.PATH, body.put("repo", repo).toString()).status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "repo | a",
                "repo | /srv/a.git",
                "repo | file:///srv/a.git",
                "repo | ext::sh -c id",
                "repo | -u x@y:z",
                "repo | https://user:password@git.test/a.git",
                "repo | https:///a.git",
                "repo | ftp://git.test/a.git",
                "branch | -x",
                "branch | a..b",
                "branch | a b",
                "branch | a.lock",
                "branch | a/",
                "harness | nobody",
                "agent_args | 'a",
                "agent_args | a\\",
                "name | ''"
            })
    void whatIsMalformedIs422(String field, String value) {
        ObjectNode body = (ObjectNode) Api.tree(Agent.body("a"));

        Api.Reply reply = api.post(
                Agent.PATH, body.put(field, value.equals("''") ? "" : value).toString());

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    @Test
    void theSameRequestTwiceMakesOneAgent() {
        Api once = api.withHeader("Idempotency-Key", "k");

        Api.Reply first = once.post(Agent.PATH, Agent.body("a"));
        Api.Reply second = once.post(Agent.PATH, Agent.body("a"));

        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(api.get(Agent.PATH).data()).hasSize(1);
    }

    @Test
    void logsTellTheirTypeWhateverIsAccepted() {
        String logs = running("a").path() + "/logs?follow=false";
        for (String accepted : List.of("*/*", "application/json", "text/event-stream")) {
            Api client = api.withHeader("Accept", accepted);

            assertThat(client.get(logs).header("Content-Type")).as(accepted).isEqualTo("text/event-stream");
            assertThat(client.send("HEAD", logs, null).header("Content-Type"))
                    .as(accepted)
                    .isEqualTo("text/event-stream");
        }
    }

    @Test
    void logsGoOnWhereAnotherAnswerEnded() {
        Agent agent = running("a");
        driver.write(agent.vm(), Agent.HARNESS, "one\n");
        agent.untilSaid("one");
        List<Agent.Said> before = agent.events(api, "?follow=false");
        assertThat(before.getFirst().data().path("resumed").asBoolean()).isTrue();
        assertThat(before)
                .extracting(Agent.Said::name)
                .startsWith("hello", "log")
                .doesNotContain("end");
        String last = before.getLast().id();
        driver.write(agent.vm(), Agent.HARNESS, "two\n");
        driver.endTask(agent.vm(), Agent.HARNESS, 0);

        List<Agent.Said> after = agent.events(api.withHeader("Last-Event-ID", last), "");

        assertThat(after.getFirst().data().path("resumed").asBoolean()).isTrue();
        assertThat(after.get(1).data().path("text").asText()).isEqualTo("two\n");
        assertThat(after.getLast().name()).isEqualTo("end");
        assertThat(after.getLast().data().path("status").asText()).isEqualTo("idle");
        assertThat(agent.events(api.withHeader("Last-Event-ID", "999999"), "?follow=false")
                        .getFirst()
                        .data()
                        .path("resumed")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void ofAnAccount20LogsAreFollowedAtMost() throws Exception {
        String logs = running("a").path() + "/logs";
        HttpRequest request = HttpRequest.newBuilder(URI.create(CONTROL.address() + logs))
                .header("Authorization", "Bearer " + api.key())
                .build();
        HttpClient client = HttpClient.newHttpClient();
        try {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(request, HttpResponse.BodyHandlers.ofInputStream())
                                .statusCode())
                        .isEqualTo(200);
            }

            assertThat(api.get(logs).error()).isEqualTo("409 quota_exceeded");
        } finally {
            client.shutdownNow();
        }
    }

    @Test
    void whoFollowsIsToldWhenTheAgentIsDeleted() {
        Agent agent = running("a");
        CompletableFuture<List<Agent.Said>> following = CompletableFuture.supplyAsync(() -> agent.events(api, ""));
        await().until(() -> !following.isDone());

        agent.delete();

        assertThat(following.join()).extracting(Agent.Said::name).doesNotContain("end");
    }

    @Test
    @Tag("long")
    void theNewestOfALogIsKept() {
        Agent agent = running("a");
        String line = "x".repeat(999) + "\n";
        for (int i = 0; i < 200; i++) {
            driver.write(agent.vm(), Agent.HARNESS, line);
        }
        driver.write(agent.vm(), Agent.HARNESS, "the newest ä\0\n");

        agent.untilSaid("the newest ä\uFFFD\n");

        assertThat(agent.log().length()).isBetween(32 << 10, 64 << 10);
        List<Agent.Said> after = agent.events(api.withHeader("Last-Event-ID", "1"), "?follow=false");
        assertThat(after.getFirst().data().path("resumed").asBoolean())
                .as("what came after it was dropped")
                .isFalse();
    }
}

package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What else has to come about before a change is applied (docs/spec/decisions.md, section 16): guests, VMs, connections. */
@Timeout(120)
class AppliedOutcomesTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);
    private static final String WAIT = "?wait=applied&timeout=30s";
    private static final String SHORTLY = "?wait=applied&timeout=300ms";

    private final FakeDriver driver = CONTROL.sandboxes();
    private final Api api = CONTROL.newAccount();

    @AfterEach
    void letGo() {
        driver.hold(null);
        driver.failAlways(Step.REFRESH, null);
        driver.failAlways(Step.CREATE, null);
        driver.failAlways(Step.CAPTURE, null);
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static void assertApplied(Api.Reply reply, String applied) {
        assertThat(reply.status()).as(reply.text()).isBetween(200, 204);
        assertThat(reply.header("Sallyport-Applied")).isEqualTo(applied);
    }

    private static String value(String text) {
        return "{\"value\": \"" + text + "\"}";
    }

    private Map<String, String> variables(Sandbox vm) {
        return driver.variables(vm.driverId()).map(GuestVariables::values).orElseThrow();
    }

    @Test
    void aVariableIsAppliedWhenGuestsHaveIt() {
        Sandbox vm = Sandbox.ready(api, "a");

        assertApplied(api.put("/v1/env/A" + WAIT, value("one")), "true");
        assertThat(variables(vm)).isEqualTo(Map.of("A", "one"));
        assertApplied(api.delete("/v1/env/A" + WAIT), "true");
        assertThat(variables(vm)).isEmpty();

        driver.failAlways(Step.REFRESH, new VmException(Reason.FAILED, "sh ended with 127"));
        assertApplied(api.put("/v1/env/A" + SHORTLY, value("two")), "false");
        assertThat(variables(vm)).isEmpty();
        Api other = CONTROL.newAccount();
        assertApplied(other.put("/v1/env/A" + WAIT, value("two")), "true");
    }

    @Test
    void aSecretIsAppliedWhenGuestsHaveItsPlaceholderAndAnotherValueConcernsProxiesAlone() {
        Sandbox vm = Sandbox.ready(api, "a");

        Api.Reply made = api.post(
                "/v1/secrets" + WAIT, "{\"name\": \"hub\", \"secret\": \"s3cr3t-value\", \"env_var\": \"HUB\"}");
        assertApplied(made, "true");
        assertThat(variables(vm)).containsOnlyKeys("HUB");
        String secret = "/v1/secrets/" + made.json().path("id").asText();

        driver.failAlways(Step.REFRESH, new VmException(Reason.FAILED, "sh ended with 127"));
        assertApplied(api.patch(secret + SHORTLY, "{\"env_var\": \"OTHER\"}"), "false");
        assertApplied(api.patch(secret + SHORTLY, "{\"secret\": \"an0ther-value\"}"), "true");
        assertApplied(api.post("/v1/egress/rules" + SHORTLY, "{\"host\": \"a.test\"}"), "true");
    }

    @Test
    void aVmIsWhatWasAskedForWhenThatIsApplied() {
        Api.Reply made = api.post(Sandbox.PATH + WAIT, Sandbox.body("a"));
        assertApplied(made, "true");
        assertThat(Sandbox.state(made.json())).isEqualTo("pending/creating");
        Sandbox vm = Sandbox.of(api, made.json().path("id").asText());
        assertThat(vm.state()).isEqualTo("running/ready");

        assertApplied(api.post(vm.path() + "/stop" + WAIT, null), "true");
        assertThat(vm.state()).isEqualTo("stopped/stopped");
        assertApplied(api.post(vm.path() + "/start" + WAIT, null), "true");
        assertThat(vm.state()).isEqualTo("running/ready");
        assertApplied(api.delete(vm.path() + WAIT + "&force=true"), "true");
        assertThat(vm.state()).isEqualTo("destroyed/destroyed");
        Api.Reply again = api.delete(vm.path() + WAIT);
        assertApplied(again, "true");
        assertThat(again.header("Sallyport-Revision"))
                .as("nothing has changed, since the last change")
                .matches("[1-9][0-9]*");
    }

    @Test
    void aVmThatFailsIsNotAppliedAndOneThatIsLateIsNotYet() {
        driver.failAlways(Step.CREATE, new VmException(Reason.IMAGE_NOT_FOUND, "there is no image x"));
        Api.Reply failed = api.post(Sandbox.PATH + WAIT, Sandbox.body("a"));
        assertApplied(failed, "false");
        assertThat(Sandbox.of(api, failed.json().path("id").asText()).state())
                .as("nobody waits for what will not come")
                .isEqualTo("failed/failed");

        driver.failAlways(Step.CREATE, null);
        driver.hold(all -> true);
        Api.Reply late = api.post(Sandbox.PATH + SHORTLY, Sandbox.body("b"));
        assertApplied(late, "false");
        driver.hold(null);
        Sandbox.of(api, late.json().path("id").asText()).until("running/ready");
    }

    @Test
    void aSnapshotIsAppliedWhenVmsCanBeMadeFromIt() {
        Sandbox vm = Sandbox.ready(api, "a");

        Api.Reply made = api.post(vm.path() + "/snapshots" + WAIT, null);
        assertApplied(made, "true");
        String path = "/v1/snapshots/" + made.data().path("id").asText();
        assertThat(api.get(path).data().path("status").asText()).isEqualTo("ready");
        assertApplied(api.delete(path + WAIT), "true");

        driver.hold(vm.driverId()::equals);
        assertApplied(api.post(vm.path() + "/snapshots" + SHORTLY, null), "false");
    }

    @Test
    void anAgentIsAppliedWhenItsVmIsReadyAndItsEndWhenNothingOfThatIsLeft() {
        driver.programs(Agent.working());

        Api.Reply made = api.post(Agent.PATH + WAIT, Agent.body("a"));
        assertApplied(made, "true");
        Sandbox vm = Sandbox.of(api, made.json().path("vm_id").asText());
        assertThat(vm.state()).isEqualTo("running/ready");
        assertApplied(api.delete(Agent.PATH + "/" + made.json().path("id").asText() + WAIT), "true");
        assertThat(vm.state()).isEqualTo("destroyed/destroyed");
    }

    @Test
    void aProxyIsGoneWhenThatIsAppliedAndUntilThenOthersWaitForIt() throws Exception {
        Api.Reply made = api.post("/v1/proxies" + WAIT, "{\"name\": \"p\"}");
        assertApplied(made, "true");
        String token = made.data().path("token").asText();
        try (FeedStream stream = FeedStream.open(CONTROL.address(), token)) {
            stream.next("snapshot");
            assertApplied(api.put("/v1/env/A" + SHORTLY, value("one")), "false");
            assertApplied(api.post("/v1/api-keys" + SHORTLY, "{\"name\": \"k\"}"), "false");

            assertApplied(api.delete("/v1/proxies/" + made.data().path("id").asText() + WAIT), "true");

            assertThat(stream.next("revoked").name()).isEqualTo("revoked");
        }
        assertApplied(api.put("/v1/env/A" + WAIT, value("two")), "true");
    }
}

package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Guests that run have the variables and placeholders that their account has (docs/spec/resource-api.md, section "Secret proxying rules", 7).
 */
class GuestEnvironmentTest {

    private static final TestControl CONTROL = TestControl.with(TestControl.NO_LIMITS + TestControl.SANDBOXES);

    private final FakeDriver driver = CONTROL.sandboxes();
    private final Api api = CONTROL.newAccount();

    @AfterEach
    void letGo() {
        driver.miss(null);
        driver.hold(null);
        driver.failAlways(Step.REFRESH, null);
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    private static void set(Api api, String key, String value) {
        Api.Reply reply = api.put("/v1/env/" + key, "{\"value\": \"" + value + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    }

    /** Returns the path of the secret. */
    private String secret(String name, String variable) {
        Api.Reply reply = api.post(
                "/v1/secrets",
                "{\"name\": \"" + name + "\", \"secret\": \"s3cr3t-value\", \"env_var\": \"" + variable + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return "/v1/secrets/" + reply.json().path("id").asText();
    }

    private Map<String, String> variables(Sandbox vm) {
        return driver.variables(vm.driverId()).map(GuestVariables::values).orElseThrow();
    }

    private void awaitVariables(Sandbox vm, Map<String, String> expected) {
        soon().untilAsserted(() -> assertThat(variables(vm)).isEqualTo(expected));
    }

    @Test
    void aSecretThatIsMadeChangedAndDeletedIsSeenInAGuestThatRuns() {
        Sandbox vm = Sandbox.ready(api, "a");
        String shown = api.get(vm.path()).text();
        List<String> messages = vm.messages();

        String secret = secret("hub", "HUB_TOKEN");
        awaitVariables(vm, Map.of("HUB_TOKEN", "SALLYPORT_PROXY_hub"));
        api.patch(secret, "{\"env_var\": \"OTHER_TOKEN\"}");
        awaitVariables(vm, Map.of("OTHER_TOKEN", "SALLYPORT_PROXY_hub"));
        api.delete(secret);
        awaitVariables(vm, Map.of());

        assertThat(api.get(vm.path()).text())
                .as("nothing of the VM has changed")
                .isEqualTo(shown);
        assertThat(vm.messages()).isEqualTo(messages);
        assertThat(driver.starts(vm.driverId())).isEqualTo(1);
    }

    @Test
    void aVariableThatIsSetChangedAndDeletedIsSeenInAGuestThatRuns() {
        Sandbox vm = Sandbox.ready(api, "a");

        set(api, "GREETING", "hello");
        awaitVariables(vm, Map.of("GREETING", "hello"));
        set(api, "GREETING", "good evening");
        awaitVariables(vm, Map.of("GREETING", "good evening"));
        secret("hub", "GREETING");
        awaitVariables(vm, Map.of("GREETING", "SALLYPORT_PROXY_hub"));
        api.delete("/v1/env/GREETING");
        set(api, "LAST", "one");

        awaitVariables(vm, Map.of("GREETING", "SALLYPORT_PROXY_hub", "LAST", "one"));
    }

    @Test
    void anotherValueOfASecretAndWhatOtherAccountsDoIsNothingToAGuest() {
        String secret = secret("hub", "HUB_TOKEN");
        Api other = CONTROL.newAccount();
        Sandbox vm = Sandbox.ready(api, "a");
        Sandbox others = Sandbox.ready(other, "a");

        api.patch(secret, "{\"secret\": \"an0ther-value\", \"hosts\": [\"example.com\"], \"comment\": \"c\"}");
        set(other, "GREETING", "hello");

        awaitVariables(others, Map.of("GREETING", "hello"));
        assertThat(driver.refreshes(vm.driverId())).isZero();
        set(api, "GREETING", "hello");
        awaitVariables(vm, Map.of("HUB_TOKEN", "SALLYPORT_PROXY_hub", "GREETING", "hello"));
        assertThat(driver.refreshes(vm.driverId())).isEqualTo(1);
        assertThat(driver.refreshes(others.driverId())).isEqualTo(1);
    }

    @Test
    void whatWasChangedWhileAVmDidNotRunItHasAsSoonAsItIsReady() {
        Sandbox vm = Sandbox.stopped(api, "a");

        set(api, "GREETING", "hello");
        assertThat(driver.refreshes(vm.driverId())).isZero();
        vm.start();
        vm.until("running/ready");

        assertThat(variables(vm)).isEqualTo(Map.of("GREETING", "hello"));
        vm.stop();
        vm.until("stopped/stopped");
        vm.start();
        vm.until("running/ready");
        assertThat(variables(vm)).isEqualTo(Map.of("GREETING", "hello"));
        assertThat(driver.refreshes(vm.driverId())).as("it has kept them").isEqualTo(1);
    }

    @Test
    void whatIsChangedWhileAVmIsMadeItHasAsSoonAsItIsReady() {
        Set<VmId> held = ConcurrentHashMap.newKeySet();
        driver.hold(vm -> {
            held.add(vm);
            return true;
        });
        Sandbox vm = Sandbox.asked(api, "a");
        soon().untilAsserted(() -> assertThat(held).contains(vm.driverId()));

        set(api, "GREETING", "hello");
        driver.hold(null);
        vm.until("running/ready");

        assertThat(variables(vm)).isEqualTo(Map.of("GREETING", "hello"));
        assertThat(driver.spec(vm.driverId()).orElseThrow().guest().environment())
                .isEmpty();
    }

    @Test
    void whileTheDriverIsAwayChangesAreAnsweredAndReachGuestsWhenItIsBack() {
        Sandbox vm = Sandbox.ready(api, "a");
        driver.miss("it is away");

        set(api, "GREETING", "hello");
        secret("hub", "HUB_TOKEN");

        driver.miss(null);
        awaitVariables(vm, Map.of("GREETING", "hello", "HUB_TOKEN", "SALLYPORT_PROXY_hub"));
        assertThat(vm.state()).isEqualTo("running/ready");
    }

    @Test
    void manyChangesAreFewForAGuestAndNoneWaitsForIt() {
        Sandbox vm = Sandbox.ready(api, "a");
        driver.hold(vm.driverId()::equals);

        for (int i = 0; i < 40; i++) {
            set(api, "GREETING", "hello " + i);
        }

        assertThat(variables(vm)).isEmpty();
        driver.hold(null);
        awaitVariables(vm, Map.of("GREETING", "hello 39"));
        assertThat(driver.refreshes(vm.driverId())).isLessThanOrEqualTo(2);
    }

    @Test
    void aGuestThatStandsStillForASnapshotHasThemWhenItGoesOn() {
        Sandbox vm = Sandbox.ready(api, "a");
        driver.hold(vm.driverId()::equals);
        String snapshot = vm.snapshot(null).data().path("id").asText();

        set(api, "GREETING", "hello");
        driver.hold(null);

        Sandbox.awaitSnapshot(api, snapshot, "ready");
        awaitVariables(vm, Map.of("GREETING", "hello"));
    }

    @Test
    void oneThatIsStoppedMeanwhileHasThemAfterItsNextStart() {
        Sandbox vm = Sandbox.ready(api, "a");
        driver.failAlways(Step.REFRESH, new VmException(Reason.UNAVAILABLE, "it is away"));
        set(api, "GREETING", "hello");
        vm.stop();
        vm.until("stopped/stopped");
        driver.failAlways(Step.REFRESH, null);

        vm.start();
        vm.until("running/ready");

        assertThat(variables(vm)).isEqualTo(Map.of("GREETING", "hello"));
    }

    @Test
    void aGuestThatDoesNotTakeThemGoesOnAndItsEventsTellOnce() {
        driver.failAlways(Step.REFRESH, new VmException(Reason.FAILED, "sh ended with 127"));
        Sandbox vm = Sandbox.ready(api, "a");

        set(api, "GREETING", "v4lue");

        String told = "it does not get the environment of its account: sh ended with 127; it is tried again";
        soon().untilAsserted(() -> assertThat(vm.messages()).last().isEqualTo(told));
        assertThat(vm.state()).isEqualTo("running/ready");
        vm.stop();
        vm.until("stopped/stopped");
        vm.start();
        vm.until("running/ready");
        driver.failAlways(Step.REFRESH, null);
        awaitVariables(vm, Map.of("GREETING", "v4lue"));
        soon().untilAsserted(() -> assertThat(vm.messages()).last().isEqualTo("it has the environment of its account"));
        assertThat(vm.messages()).containsOnlyOnce(told);
    }

    @Test
    void whatCannotBeDecryptedIsLeftOutAndLogged() throws Exception {
        Sandbox vm = Sandbox.ready(api, "a");
        set(api, "GOOD", "v4lue");
        set(api, "BROKEN", "v4lue-two");
        awaitVariables(vm, Map.of("GOOD", "v4lue", "BROKEN", "v4lue-two"));
        String broken = api.get("/v1/env/BROKEN").json().path("id").asText();
        CONTROL.execute("update environment_variable set sealed_value = (select sealed_value from environment_variable"
                + " where name = 'GOOD' and organization_id = (select organization_id from vm where id = '" + vm.id()
                + "')) where id = '" + broken + "'");

        try (LogCapture log = LogCapture.open()) {
            set(api, "LAST", "v4lue-three");

            awaitVariables(vm, Map.of("GOOD", "v4lue", "LAST", "v4lue-three"));
            soon().untilAsserted(() -> assertThat(vm.messages())
                    .last()
                    .asString()
                    .contains("variables that cannot be decrypted now are left out"));
            assertThat(log.text()).doesNotContain("v4lue", "SALLYPORT_PROXY");
        }
        set(api, "BROKEN", "again");
        vm.stop();
        vm.until("stopped/stopped");
        vm.start();
        vm.until("running/ready");
        assertThat(variables(vm)).containsEntry("BROKEN", "again");
    }

    @Test
    void oneOfWhichNobodyKnowsWhatItWasToldIsToldAgain() throws Exception {
        Sandbox vm = Sandbox.ready(api, "a");

        CONTROL.execute("update vm set environment = null where id = '" + vm.id() + "'");

        soon().untilAsserted(() -> assertThat(driver.refreshes(vm.driverId())).isEqualTo(1));
    }

    @Test
    @Tag("long")
    void aControlPlaneThatIsKilledAfterItsAnswerGoesOnWithIt(@TempDir Path folder) throws Exception {
        Path guests = folder.resolve("guests");
        try (ControlProcess control = new ControlProcess(
                folder,
                TestControl.NO_LIMITS + Database.yaml() + "  sandboxes: {driver: fake, settings: {dir: \"" + guests
                        + "\", pause_millis: \"400\"}, ssh: {ports: 10000-32767}}\n")) {
            Api account = control.newAccount();
            Sandbox vm = Sandbox.ready(account, "a");
            set(account, "GREETING", "hello");
            control.kill();
            assertThat(kept(guests, vm)).isEmpty();

            control.start();

            soon().untilAsserted(() -> assertThat(kept(guests, vm)).isEqualTo(Map.of("GREETING", "hello")));
            account.delete("/v1/env/GREETING");
            control.kill();
            control.start();
            soon().untilAsserted(() -> assertThat(kept(guests, vm)).isEmpty());
            assertThat(vm.state()).isEqualTo("running/ready");
        }
    }

    private static Map<String, String> kept(Path guests, Sandbox vm) throws VmException {
        try (FakeDriver driver = new FakeDriver(guests, Duration.ZERO)) {
            return driver.variables(vm.driverId()).map(GuestVariables::values).orElseThrow();
        }
    }
}

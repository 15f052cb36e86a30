package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each status with each of its details: the list finds a VM by both, and each verb does what the state allows;
 * docs/spec/resource-api.md, section "VM", and docs/spec/decisions.md, section 15a, "VMs" and "Snapshots".
 */
@Timeout(120)
class VmStatesTest {

    private static final TestControl CONTROL = TestControl.with(
            TestControl.NO_LIMITS + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}, creations: 1}\n");

    private static final List<String> STATUSES = List.of("pending", "running", "stopped", "destroyed", "failed");
    private static final List<String> DETAILS = List.of(
            "queued",
            "creating",
            "starting",
            "running",
            "ready",
            "stopping",
            "stopped",
            "destroying",
            "destroyed",
            "failed");

    private final FakeDriver driver = CONTROL.sandboxes();
    private final List<Sandbox> made = new ArrayList<>();
    private Api api;

    @BeforeEach
    void signUp() {
        api = CONTROL.newAccount();
    }

    /** The only place for creations is free again. */
    @AfterEach
    void destroy() {
        driver.failAlways(Step.START, null);
        driver.hold(null);
        made.forEach(vm -> assertThat(vm.force().status()).isEqualTo(204));
        made.forEach(vm -> vm.until("destroyed/destroyed"));
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private Sandbox asked(Api owner) {
        Sandbox vm = Sandbox.asked(owner, "a");
        made.add(vm);
        return vm;
    }

    /** A VM that stays in this state until all are let go. */
    private Sandbox in(String state) {
        switch (state) {
            case "pending/queued" -> takeThePlace();
            case "pending/creating" -> driver.hold(all -> true);
            case "pending/starting" -> driver.failAlways(Step.START, new VmException(Reason.UNAVAILABLE, "not yet"));
            case "failed/failed" -> driver.failNext(Step.CREATE, new VmException(Reason.FAILED, "the disk is full"));
            default -> {
                return beyond(asked(api).until("running/ready"), state);
            }
        }
        return asked(api).until(state);
    }

    private void takeThePlace() {
        Set<VmId> begun = ConcurrentHashMap.newKeySet();
        driver.hold(vm -> {
            begun.add(vm);
            return true;
        });
        Sandbox first = asked(CONTROL.newAccount());
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Patience.usual())
                .untilAsserted(() -> assertThat(begun).contains(first.driverId()));
    }

    private Sandbox beyond(Sandbox vm, String state) {
        switch (state) {
            case "stopped/stopping" -> held(vm::stop);
            case "running/running" -> held(stopped(vm)::start);
            case "stopped/stopped" -> stopped(vm);
            case "destroyed/destroying" -> held(stopped(vm)::delete);
            case "destroyed/destroyed" -> stopped(vm).delete();
            default -> assertThat(state).isEqualTo("running/ready");
        }
        return vm.until(state);
    }

    private static Sandbox stopped(Sandbox vm) {
        assertThat(vm.stop().status()).isEqualTo(200);
        return vm.until("stopped/stopped");
    }

    /** The driver does nothing about what is asked for. */
    private void held(Supplier<Api.Reply> verb) {
        driver.hold(all -> true);
        assertThat(verb.get().status()).isBetween(200, 204);
    }

    private void found(Sandbox vm, String filter, List<String> values, String value) {
        for (String other : values) {
            assertThat(api.get(Sandbox.PATH + "?" + filter + "=" + other).data().findValuesAsText("id"))
                    .as(filter + " " + other)
                    .isEqualTo(other.equals(value) ? List.of(vm.id()) : List.of());
        }
    }

    private static List<String> keys(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pending/queued",
                "pending/creating",
                "pending/starting",
                "running/running",
                "running/ready",
                "stopped/stopping",
                "stopped/stopped",
                "destroyed/destroying",
                "destroyed/destroyed",
                "failed/failed"
            })
    void aVmIsFoundByItsStatusAndDetailAndEachVerbDoesWhatItsStateAllows(String state) {
        Sandbox vm = in(state);
        String status = state.replaceFirst("/.*", "");

        found(vm, "status", STATUSES, status);
        found(vm, "status_detail", DETAILS, state.replaceFirst(".*/", ""));
        login(vm, status.equals("running"));
        if (!status.equals("stopped")) {
            assertThat(vm.start().error()).isEqualTo("409 vm_not_stopped");
        }
        if (!status.equals("running")) {
            assertThat(vm.snapshot(null).error()).isEqualTo("409 vm_not_running");
            assertThat(vm.stop().error()).isEqualTo("409 vm_not_running");
        }
        if (status.equals("pending") || status.equals("running")) {
            assertThat(vm.delete().error()).isEqualTo("409 vm_not_stopped");
        }
        assertThat(vm.state()).as("what is refused changes nothing").isEqualTo(state);
        switch (status) {
            case "pending" -> assertThat(vm.force().status()).isEqualTo(204);
            case "running" -> {
                assertThat(vm.snapshot(null).status()).isEqualTo(201);
                assertThat(Sandbox.state(vm.stop().json())).isEqualTo("stopped/stopping");
            }
            case "stopped" -> assertThat(Sandbox.state(vm.start().json())).isEqualTo("running/running");
            default -> assertThat(vm.delete().status()).isEqualTo(204);
        }
    }

    /** To one that runs, whether its SSH answers yet or not, and to no other. */
    private void login(Sandbox vm, boolean runs) {
        Api.Reply ssh = api.get(vm.path() + "/ssh");
        Api.Reply hostKeys = api.get(vm.path() + "/ssh/host-keys");
        if (runs) {
            assertThat(keys(ssh.json())).containsExactly("host", "port", "username", "command");
            assertThat(keys(hostKeys.json())).containsExactly("data", "known_hosts");
            assertThat(keys(hostKeys.data().path(0))).containsExactly("type", "key");
        } else {
            assertThat(ssh.error()).isEqualTo("409 vm_not_running");
            assertThat(hostKeys.error()).isEqualTo("409 vm_not_running");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pending/creating", "running/running", "stopped/stopped", "failed/failed"})
    void aNameIsTakenForAsLongAsItsVmIsNotDestroyed(String state) {
        Sandbox vm = in(state);
        assertThat(api.post(Sandbox.PATH, Sandbox.body("a")).error()).isEqualTo("409 vm_name_taken");

        driver.hold(all -> true);
        assertThat(vm.force().status()).isEqualTo(204);

        assertThat(vm.state()).isEqualTo("destroyed/destroying");
        asked(api);
    }
}

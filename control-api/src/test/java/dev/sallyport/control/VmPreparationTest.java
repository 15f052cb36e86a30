package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** VMs that were being made already, and ask for a place again. */
class VmPreparationTest {

    private static final TestControl CONTROL = TestControl.with(
            TestControl.NO_LIMITS + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}, creations: 1}\n");

    private static final String TURNED_AWAY = "it waits until fewer are being made";

    private final FakeDriver driver = CONTROL.sandboxes();
    private final Api api = CONTROL.newAccount();

    @AfterEach
    void letGo() {
        driver.failAlways(Step.CREATE, null);
        driver.hold(null);
    }

    @AfterAll
    static void end() {
        CONTROL.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    /** Another VM has the only place until all are let go. */
    private Sandbox takeThePlace(Sandbox from) {
        Set<VmId> held = ConcurrentHashMap.newKeySet();
        driver.hold(vm -> {
            boolean isOther = !vm.equals(from.driverId());
            if (isOther) {
                held.add(vm);
            }
            return isOther;
        });
        Sandbox other = Sandbox.asked(CONTROL.newAccount(), "other");
        soon().untilAsserted(() -> assertThat(held).contains(other.driverId()));
        return other;
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"PREPARING", "UNAVAILABLE"})
    void oneThatFindsNoPlaceWhenItIsTriedAgainIsNotQueuedOnceMore(Reason reason) {
        driver.failAlways(Step.CREATE, new VmException(reason, "not yet"));
        Sandbox vm = Sandbox.asked(api, "a");
        soon().untilAsserted(() -> assertThat(vm.messages()).last().asString().startsWith("not yet"));

        Sandbox other = takeThePlace(vm);
        await().during(Duration.ofSeconds(4)) // longer than between two looks
                .atMost(Patience.usual())
                .until(() -> vm.state().equals("pending/creating"));
        driver.failAlways(Step.CREATE, null);
        driver.hold(null);

        vm.until("running/ready");
        other.until("running/ready");
        assertThat(vm.messages()).doesNotContain(TURNED_AWAY);
        assertThat(vm.states())
                .containsExactly("pending/creating", "pending/starting", "running/running", "running/ready");
    }

    @Test
    void oneThatFindsNoPlaceAtFirstIsQueued() {
        Sandbox other = takeThePlace(Sandbox.ready(api, "a"));

        Sandbox vm = Sandbox.asked(api, "b").until("pending/queued");

        assertThat(vm.messages()).last().isEqualTo(TURNED_AWAY);
        driver.hold(null);
        other.until("running/ready");
        vm.until("running/ready");
    }
}

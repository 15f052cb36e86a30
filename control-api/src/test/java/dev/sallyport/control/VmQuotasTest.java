package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the VMs of an account may take of the host together. Each takes 64 MiB, 100 thousandths, 20 processes, 100 MiB. */
class VmQuotasTest {

    /** Quotas of which two VMs that run leave less than a third one takes. */
    private static final String MEMORY = "memory_per_account: 191MiB";

    private static final String DISK = "disk_per_account: 299MiB";

    private @Nullable TestControl control;
    private FakeDriver driver;
    private Api api;

    private void begin(String limits) {
        control = TestControl.with(TestControl.NO_LIMITS
                + "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}, size: {memory: 64MiB, cpu_millis: 100, processes: 20, disk: 100MiB}, limits: {"
                + limits + "}}\n");
        driver = control.sandboxes();
        api = control.newAccount();
    }

    @AfterEach
    void end() {
        if (control != null) {
            control.close();
        }
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    private static void refused(Api.Reply reply, String message) {
        assertThat(reply.error()).as(reply.text()).isEqualTo("409 quota_exceeded");
        assertThat(reply.json().at("/error/message").asText()).contains(message);
    }

    private void refused() {
        refused(api.post(Sandbox.PATH, Sandbox.body("more")), "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "memory_per_account: 191MiB | memory of VMs that run: 128MiB are taken, and this one takes 64MiB (expected: no more than 191MiB; stop or delete one)",
                "cpu_millis_per_account: 299 | processors of VMs that run: 200 thousandths are taken, and this one takes 100 thousandths (expected: no more than 299 thousandths; stop or delete one)",
                "processes_per_account: 59 | processes of VMs that run: 40 are taken, and this one takes 20 (expected: no more than 59; stop or delete one)",
                "disk_per_account: 299MiB | disk of VMs: 200MiB are taken, and this one takes 100MiB (expected: no more than 299MiB; delete one)"
            })
    void whatIsTooMuchIsRefusedAndSaysOfWhat(String limit, String message) {
        begin(limit);
        Sandbox first = Sandbox.ready(api, "a");
        String snapshot = first.snapshot(null).data().path("id").asText();
        Sandbox.awaitSnapshot(api, snapshot, "ready");
        Sandbox.asked(api, "b");

        refused(api.post(Sandbox.PATH, Sandbox.body("c")), message);
        refused(api.post(Sandbox.PATH, Sandbox.forkBody("c", snapshot)), message);
        refused(api.post(Agent.PATH, Agent.body("c")), message);
        assertThat(api.get(Agent.PATH).data()).isEmpty();

        Sandbox.asked(control.newAccount(), "c");
        driver.hold(first.driverId()::equals);
        assertThat(first.force().status()).isEqualTo(204);
        Sandbox.asked(api, "c");
        driver.hold(null);
    }

    @Test
    void asMuchAsTheQuotaIsNotTooMuch() {
        begin(
                "memory_per_account: 128MiB, cpu_millis_per_account: 200, processes_per_account: 40, disk_per_account: 200MiB");

        Sandbox.ready(api, "a");
        Sandbox.ready(api, "b");

        refused();
    }

    @ParameterizedTest
    @ValueSource(strings = {MEMORY, "cpu_millis_per_account: 299", "processes_per_account: 59"})
    void oneThatIsStoppedMakesRoomAndStartsOnlyWhereThereIsSome(String limit) {
        begin(limit);
        Sandbox stopped = Sandbox.stopped(api, "a");
        Sandbox.ready(api, "b");
        Sandbox last = Sandbox.ready(api, "c");
        List<String> before = stopped.messages();

        refused(stopped.start(), " of VMs that run: ");

        assertThat(stopped.state()).isEqualTo("stopped/stopped");
        assertThat(stopped.messages()).isEqualTo(before);
        assertThat(last.start().error()).as("its state comes first").isEqualTo("409 vm_not_stopped");
        last.stop();
        last.until("stopped/stopped");
        assertThat(stopped.start().status()).isEqualTo(200);
        stopped.until("running/ready");
        refused(last.start(), "");
    }

    @Test
    void oneThatIsBeingStoppedCountsUntilItsGuestHasEndedAndMayStartAgain() {
        begin(MEMORY);
        Sandbox first = Sandbox.ready(api, "a");
        Sandbox.ready(api, "b");
        driver.hold(first.driverId()::equals);
        first.stop();

        refused();
        assertThat(first.start().status()).as("it has its place").isEqualTo(200);
        first.stop();
        driver.hold(null);

        first.until("stopped/stopped");
        Sandbox.asked(api, "c");
    }

    @Test
    void oneThatEndedByItselfOrFailedMakesRoom() {
        begin(MEMORY);
        driver.hold(all -> true);
        Sandbox ended = Sandbox.asked(api, "a");
        driver.endAtOnce(ended.driverId());
        driver.hold(null);
        ended.until("stopped/stopped");
        driver.failNext(FakeDriver.Step.START, new VmException(Reason.FAILED, "it is broken"));
        Sandbox failed = Sandbox.asked(api, "b").until("failed/failed");
        soon().untilAsserted(() -> assertThat(failed.messages()).contains("the guest has ended"));

        Sandbox.ready(api, "c");
        Sandbox.ready(api, "d");
        refused();
    }

    @Test
    void whatStopsKeepsItsDisk() {
        begin(DISK);
        Sandbox stopped = Sandbox.stopped(api, "a");
        Sandbox.stopped(api, "b");

        refused();
        assertThat(stopped.start().status()).isEqualTo(200);
        stopped.force();
        Sandbox.asked(api, "c");
    }

    /** {@code VmFaultsTest} has the same for addresses. */
    @ParameterizedTest
    @ValueSource(strings = {MEMORY, DISK})
    void whatCannotBeDestroyedIsBoundedByTwiceTheQuota(String limit) {
        begin(limit);
        driver.failAlways(FakeDriver.Step.DESTROY, new VmException(Reason.FAILED, "it is stuck"));
        List<Sandbox> stuck = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Sandbox vm = Sandbox.ready(api, "a");
            stuck.add(vm);
            vm.force();
        }
        Sandbox.ready(api, "a");

        refused(api.post(Sandbox.PATH, Sandbox.body("b")), ", deleted ones included: ");

        driver.failAlways(FakeDriver.Step.DESTROY, null);
        control.clock().advance(Duration.ofSeconds(31));
        stuck.forEach(vm -> vm.until("destroyed/destroyed"));
        Sandbox.ready(api, "b");
    }

    @Test
    void whatWasStoppedAndCannotBeDestroyedTakesNoMemory() {
        begin(MEMORY);
        driver.failAlways(FakeDriver.Step.DESTROY, new VmException(Reason.FAILED, "it is stuck"));
        for (int i = 0; i < 5; i++) {
            assertThat(Sandbox.stopped(api, "a").delete().status()).isEqualTo(204);
        }

        Sandbox.ready(api, "a");
        Sandbox.ready(api, "b");
        refused(api.post(Sandbox.PATH, Sandbox.body("c")), "128MiB are taken");
        driver.failAlways(FakeDriver.Step.DESTROY, null);
    }

    private List<Integer> atOnce(List<Callable<Api.Reply>> requests) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(requests.size())) {
            List<Integer> statuses = new ArrayList<>();
            for (Future<Api.Reply> reply : threads.invokeAll(requests)) {
                statuses.add(reply.get().status());
            }
            return statuses;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {MEMORY, DISK})
    void ofThoseThatAreAskedForAtOnceAsManyAreMadeAsThereIsRoomFor(String limit) throws Exception {
        begin(limit);
        List<Callable<Api.Reply>> requests = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String body = Sandbox.body("n" + i);
            requests.add(() -> api.post(Sandbox.PATH, body));
        }

        assertThat(atOnce(requests))
                .containsOnly(201, 409)
                .filteredOn(status -> status == 201)
                .hasSize(2);
    }

    @Test
    void ofThoseThatAreStartedAtOnceAsManyRunAsThereIsRoomFor() throws Exception {
        begin(MEMORY);
        List<Callable<Api.Reply>> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(Sandbox.stopped(api, "n" + i)::start);
        }
        for (int i = 0; i < 3; i++) {
            String body = Sandbox.body("m" + i);
            requests.add(() -> api.post(Sandbox.PATH, body));
        }

        List<Integer> statuses = atOnce(requests);

        assertThat(statuses.stream().filter(status -> status < 300)).hasSize(2);
        assertThat(statuses.stream().filter(status -> status == 409)).hasSize(6);
        soon().untilAsserted(() -> assertThat(
                        api.get(Sandbox.PATH + "?status_detail=ready").data())
                .hasSize(2));
    }
}

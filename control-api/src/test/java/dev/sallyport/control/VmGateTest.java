package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.testsupport.Patience;
import io.opentelemetry.api.OpenTelemetry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the control plane tells the gate about guests, and what it does while the gate does not answer. */
@Timeout(180)
class VmGateTest {

    private static final String SUBNET = "control:sandboxes";

    @TempDir
    Path folder;

    private final String database = Database.yaml();
    private @Nullable ControlPlane plane;
    private @Nullable Api account;

    /** Another control plane with the same state. */
    private Api start(String sandboxes, @Nullable TestDoor door) throws ConfigException {
        end();
        String settings = sandboxes.equals("none") ? "" : ", settings: {dir: \"" + folder.resolve("guests") + "\"}";
        ControlPlane made = new ControlPlane(
                Sections.control(
                        "control:\n  listen: \"127.0.0.1:0\"\n" + TestControl.NO_LIMITS + database
                                + "  sandboxes: {driver: " + sandboxes + settings + ", ssh: {ports: 10000-32767}}\n",
                        folder),
                new Surroundings(
                        Map.<String, String>of()::get,
                        OpenTelemetry.noop(),
                        Clock.systemUTC(),
                        door == null ? null : DeafTaps.proxy(door),
                        TestControl.PASSWORDS));
        plane = made;
        made.prepare();
        Api anonymous = new Api(
                URI.create("http://127.0.0.1:" + made.addresses().getFirst().getPort()), null, null);
        Api known = account;
        account = known == null ? signUp(anonymous) : anonymous.withKey(known.key());
        return Objects.requireNonNull(account);
    }

    private static Api signUp(Api anonymous) {
        Api.Reply reply = anonymous.post(
                "/v1/users",
                "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"ada@example.com\", \"password\": \"correct horse\"}");
        return anonymous.withKey(reply.json().at("/api_key/token").asText());
    }

    private VmDriver driver() {
        return Objects.requireNonNull(Objects.requireNonNull(plane).server()).driver();
    }

    @AfterEach
    void end() {
        ControlPlane running = plane;
        if (running != null) {
            running.close();
        }
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.seconds(60));
    }

    @Test
    void theGateKnowsAVmBeforeTheDriverMakesOrStartsIt() throws Exception {
        TestDoor door = new TestDoor();
        Api api = start("fake", door);
        Queue<String> unknown = new ConcurrentLinkedQueue<>();
        ((FakeDriver) driver()).hold(id -> {
            if (!door.knows(id.value())) {
                unknown.add(id.value());
            }
            return false;
        });

        Sandbox vm = Sandbox.stopped(api, "a");
        vm.start();
        vm.until("running/ready");
        String snapshot = vm.snapshot(null).data().path("id").asText();
        Sandbox.awaitSnapshot(api, snapshot, "ready");
        Sandbox fork = Sandbox.fork(api, "fork", snapshot);

        assertThat(unknown).isEmpty();
        assertThat(door.names()).containsExactlyInAnyOrder(SUBNET, vm.id(), fork.id());
        fork.force();
        fork.until("destroyed/destroyed");
        vm.force();
        vm.until("destroyed/destroyed");
        assertThat(door.names()).containsExactly(SUBNET);
    }

    /** An organization has one share of what clients share, whatever its workloads are. */
    @Test
    void theGateKnowsWhoseEachWorkloadIs() throws Exception {
        TestDoor door = new TestDoor();
        Api api = start("fake", door);

        Sandbox vm = Sandbox.ready(api, "a");
        Api.Reply made = api.post("/v1/workloads?wait=applied", "{\"name\": \"ci\"}");

        assertThat(made.status()).as(made.text()).isEqualTo(201);
        assertThat(door.organizations()).hasSize(1);
        String organization = door.organizations().getFirst();
        assertThat(door.attributes(vm.id()))
                .isEqualTo(Map.of("vm_id", vm.id(), WorkloadSpec.ORGANIZATION, organization));
        assertThat(door.attributes(made.json().path("id").asText()))
                .isEqualTo(Map.of(WorkloadSpec.ORGANIZATION, organization));
        assertThat(door.attributes(organization)).isEqualTo(Map.of(WorkloadSpec.ORGANIZATION, organization));
    }

    @Test
    void guestsOfBeforeBelongToTheirAccountsWhateverTheDriverIsNowAndWithoutOneNothingCanBeAskedOfThem()
            throws Exception {
        Api before = start("fake", new TestDoor());
        String running = Sandbox.ready(before, "a").id();
        String stopped = Sandbox.stopped(before, "b").id();
        TestDoor door = new TestDoor();

        Api api = start("none", door);

        assertThat(door.names()).containsExactlyInAnyOrder(SUBNET, running, stopped);
        Sandbox vm = Sandbox.of(api, running);
        for (Api.Reply reply : List.of(
                vm.stop(),
                vm.force(),
                vm.snapshot(null),
                api.get(vm.path() + "/ssh"),
                api.get(vm.path() + "/ssh/host-keys"),
                api.get(vm.path() + "/counters"),
                Sandbox.of(api, stopped).start(),
                Sandbox.of(api, stopped).delete(),
                api.post(Agent.PATH, Agent.body("a")))) {
            assertThat(reply.error()).isEqualTo("503 sandboxes_unavailable");
            assertThat(reply.json().at("/error/message").asText())
                    .isEqualTo("sandboxes are switched off (driver none)");
        }
        assertThat(vm.state()).isEqualTo("running/ready");
        assertThat(Sandbox.of(api, stopped).state()).isEqualTo("stopped/stopped");
    }

    @Tag("long")
    @Test
    void aGateThatDoesNotAnswerIsWaitedForAndLosesNothing() throws Exception {
        TestDoor door = new TestDoor();
        Api api = start("fake", door);
        door.hold();
        Sandbox patient = Sandbox.asked(api, "patient");
        Sandbox doomed = Sandbox.asked(api, "doomed");
        soon().untilAsserted(() -> assertThat(patient.messages().getLast())
                .startsWith("the proxy has not answered within 10 s")
                .endsWith("it is tried again"));
        assertThat(driver().observeAll()).isEmpty();
        doomed.force();

        door.letGo();

        patient.until("running/ready");
        doomed.until("destroyed/destroyed");
        assertThat(door.names()).containsExactlyInAnyOrder(SUBNET, patient.id());
    }

    @Tag("long")
    @Test
    void aStartGoesOnWithoutAGateThatAnswers() throws Exception {
        Sandbox before = Sandbox.ready(start("fake", new TestDoor()), "a");
        TestDoor door = new TestDoor();
        door.hold();

        Sandbox vm = Sandbox.of(start("fake", door), before.id());

        assertThat(door.knows(vm.id())).isFalse();
        door.letGo();
        soon().untilAsserted(() -> assertThat(door.knows(vm.id())).isTrue());
        vm.until("running/ready");
    }

    @Tag("long")
    @Test
    void aVmThatTheGateCannotTellFromOthersIsNotReady() throws Exception {
        TestDoor door = new TestDoor();
        Api api = start("fake", door);
        door.clash(true);

        Sandbox vm = Sandbox.asked(api, "a");

        soon().untilAsserted(() -> assertThat(vm.messages().getLast())
                .isEqualTo("SSH answers; the gate refuses it until it has its policies, see the log"));
        assertThat(vm.state()).isEqualTo("running/running");
        door.clash(false);
        vm.until("running/ready");
        assertThat(vm.messages().stream().filter(message -> message.startsWith("SSH answers; the gate")))
                .as("it is said once")
                .hasSize(1);
    }

    @Test
    @Tag("long")
    void oneVmWithoutPoliciesHoldsUpTheStartForAFewSecondsOnly() throws Exception {
        Sandbox vm = Sandbox.ready(start("fake", new TestDoor()), "a");
        TestDoor door = new TestDoor();
        door.clash(true);
        long begin = System.nanoTime();

        start("fake", door);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(18));
        // what clashes is taken out and told again now and then: what stood in its way may have gone
        soon().until(() -> door.knows(vm.id()));
    }

    @Test
    void withoutAGateNothingIsMadeOrStarted() throws Exception {
        TestDoor door = new TestDoor();
        Api api = start("solid", door);
        door.hold();
        Sandbox pending = Sandbox.asked(api, "pending");

        Api again = start("solid", null);

        String reason = "no proxy runs in this process, and nothing else can judge what guests do";
        Api.Reply refused = again.post(Sandbox.PATH, Sandbox.body("b"));
        assertThat(refused.error()).isEqualTo("503 sandboxes_unavailable");
        assertThat(refused.json().at("/error/message").asText()).isEqualTo(reason);
        Sandbox vm = Sandbox.of(again, pending.id());
        soon().untilAsserted(() -> assertThat(vm.messages()).contains(reason + "; it is tried again"));
        assertThat(driver().observeAll()).isEmpty();
    }

    @Test
    @Tag("long")
    void aDriverThatHangsDoesNotHoldUpTheStart() throws Exception {
        long begin = System.nanoTime();
        ControlPlane made = new ControlPlane(
                Sections.control(
                        "control:\n  listen: \"127.0.0.1:0\"\n" + database
                                + "  sandboxes: {driver: solid, settings: {hangs: \"true\", dir: \""
                                + folder.resolve("guests") + "\"}}\n",
                        folder),
                new Surroundings(
                        Map.<String, String>of()::get,
                        OpenTelemetry.noop(),
                        Clock.systemUTC(),
                        DeafTaps.proxy(new TestDoor()),
                        TestControl.PASSWORDS));
        plane = made;

        made.prepare();

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
        Api api = signUp(new Api(
                URI.create("http://127.0.0.1:" + made.addresses().getFirst().getPort()), null, null));
        assertThat(api.post(Sandbox.PATH, Sandbox.body("a")).error()).isEqualTo("503 sandboxes_unavailable");
    }
}

package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.ControlFactory;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.it.TestProxy;
import dev.sallyport.mcp.McpFactory;
import dev.sallyport.sources.local.EnvSourceFactory;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * No path of a sandbox leads around its account's policies: docs/spec/decisions.md, section 16, "Who is it?", at the proxy of
 * the same process. Guests are sockets of this test, with the addresses that sandboxes of the driver {@code fake} have.
 */
@Timeout(120)
class SandboxGateTest {

    private static final String VMS = "/v1/vms";
    private static final String RULES = "/v1/egress/rules";

    @TempDir
    Path folder;

    private int port;
    private int gatePort;
    private TestOrigin origin;
    private TestProxy proxy;

    @BeforeEach
    void begin() throws Exception {
        port = Ports.unused();
        gatePort = Ports.unused();
        origin = TestOrigin.handling(request -> TestOrigin.ok("world"));
        proxy = start();
    }

    private TestProxy start() throws Exception {
        return TestProxy.builder(folder)
                .environment(Map.of("SALLYPORT_PROXY_HTTP_LISTEN", "127.0.0.1:" + gatePort))
                .catalog(PluginCatalog.of(
                        List.of(new AllowlistFactory(), new SecretsFactory(), new McpFactory()),
                        List.of(new EnvSourceFactory()),
                        List.of(new ControlFactory(ControlApi.PASSWORDS))))
                .sections("control:\n  listen: 127.0.0.1:" + port + "\n  state_dir: " + folder.resolve("state")
                        + "\n  sandboxes:\n    driver: fake\n    settings: {dir: \"" + folder.resolve("guests")
                        + "\"}\n    subnet: 127.77.0.0/16\n    ssh: {ports: 10000-32767}\n")
                .start();
    }

    @AfterEach
    void end() throws IOException {
        proxy.close();
        origin.close();
    }

    /** What a guest of this address gets of the world: the status of the answer. */
    private int from(String guest) throws IOException {
        InetAddress gate = InetAddress.getLoopbackAddress();
        try (Wire client = new Wire(new Socket(gate, gatePort, InetAddress.getAllByName(guest)[0], 0))) {
            return client.send("GET / HTTP/1.1\r\nHost: " + origin.authority() + "\r\nConnection: close\r\n\r\n")
                    .message()
                    .status();
        }
    }

    /** The same, of a server at an address that a guest may have. */
    private int fromTo(String guest, String server) throws IOException {
        InetAddress gate = InetAddress.getLoopbackAddress();
        try (TestOrigin other = TestOrigin.at(
                        InetAddress.getAllByName(server)[0], null, TestOrigin.always(TestOrigin.ok("other")));
                Wire client = new Wire(new Socket(gate, gatePort, InetAddress.getAllByName(guest)[0], 0))) {
            int status = client.send(
                            "GET / HTTP/1.1\r\nHost: " + server + ":" + other.port() + "\r\nConnection: close\r\n\r\n")
                    .message()
                    .status();
            assertThat(other.connections()).as("of the gate").isEqualTo(status == 200 ? 1 : 0);
            return status;
        }
    }

    private static String create(ControlApi api, String name) throws Exception {
        return api.send(
                        "POST",
                        VMS,
                        "{\"name\": \"" + name
                                + "\", \"public_key\": \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA\"}",
                        201)
                .path("id")
                .asText();
    }

    private static void until(ControlApi api, String vm, String state) {
        await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual()).untilAsserted(() -> {
            JsonNode found = api.send("GET", VMS + "/" + vm, "", 200);
            assertThat(found.path("status").asText() + "/"
                            + found.path("status_detail").asText())
                    .isEqualTo(state);
        });
    }

    private static String ready(ControlApi api, String name) throws Exception {
        String vm = create(api, name);
        until(api, vm, "running/ready");
        return vm;
    }

    private static String rule(ControlApi api) throws Exception {
        return RULES + "/"
                + api.send("POST", RULES + "?wait=applied", "{\"host\": \"127.0.0.1\"}", 201)
                        .path("id")
                        .asText();
    }

    /** A guest that asks for the world all the time, from before it is made on, and over restarts of the gate. */
    private final class Restless implements AutoCloseable {

        private final AtomicBoolean over = new AtomicBoolean();
        private final CompletableFuture<Void> asking;
        private final AtomicInteger passed = new AtomicInteger();
        private final AtomicInteger answered = new AtomicInteger();

        Restless(String guest) {
            // Not of the common pool, which has one thread on a small machine, and starts need it.
            asking = CompletableFuture.runAsync(
                    () -> ask(guest),
                    task -> Thread.ofPlatform().daemon().name("restless").start(task));
        }

        private void ask(String guest) {
            while (!over.get()) {
                try {
                    passed.addAndGet(from(guest) == 200 ? 1 : 0);
                    answered.incrementAndGet();
                } catch (IOException e) {
                    LockSupport.parkNanos(1_000_000); // no gate at this moment, which is no answer
                }
            }
        }

        /** Until the gate has judged some more requests that began after this call. */
        void askOn() {
            int before = answered.get();
            await().atMost(Patience.usual()).until(() -> answered.get() > before + 3);
        }

        int end() {
            askOn();
            over.set(true);
            asking.join();
            return passed.get();
        }

        @Override
        public void close() {
            over.set(true);
        }
    }

    @Test
    void aGuestIsJudgedByTheRulesOfItsAccountAndNoOther() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        ControlApi second = ControlApi.signUp(port);
        rule(first);

        ready(first, "a");
        ready(second, "b");

        assertThat(from("127.77.0.2")).isEqualTo(200);
        assertThat(from("127.77.0.3")).isEqualTo(403);
        String rule = rule(second);
        assertThat(from("127.77.0.3")).isEqualTo(200);
        second.send("DELETE", rule + "?wait=applied", "", 204);
        assertThat(from("127.77.0.3")).isEqualTo(403);
        assertThat(from("127.77.0.2")).isEqualTo(200);
    }

    @Test
    void noRuleOfAnAccountAndNoModeLeadsToAGuest() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        ControlApi second = ControlApi.signUp(port);
        ready(first, "a");
        ready(second, "b");
        second.send("POST", RULES + "?wait=applied", "{\"cidr\": \"127.0.0.0/8\"}", 201);
        assertThat(fromTo("127.77.0.3", "127.78.0.2"))
                .as("the rule is in force")
                .isEqualTo(200);

        assertThat(fromTo("127.77.0.3", "127.77.0.2")).isEqualTo(502);
        second.send("PUT", "/v1/egress/policy?wait=applied", "{\"mode\": \"warn\"}", 200);
        assertThat(fromTo("127.77.0.3", "127.77.0.2")).isEqualTo(502);
        assertThat(fromTo("127.77.0.3", "127.77.0.3")).as("its own address").isEqualTo(502);
    }

    @Test
    void addressesOfSandboxesThatNobodyHasAreRefusedWhateverTheFirstAccountAllows() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        rule(first);

        assertThat(from("127.0.0.1"))
                .as("callers of no workload are the first account's")
                .isEqualTo(200);
        assertThat(from("127.77.0.2")).isEqualTo(403);
        assertThat(from("127.77.200.200")).isEqualTo(403);
    }

    /** Deny-all: the account of the VM has no rules, and the first account allows everything that is asked for. */
    @Test
    void noVerbLetsAGuestThroughForAMoment() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        rule(first);
        ControlApi second = ControlApi.signUp(port);
        try (Restless guest = new Restless("127.77.0.2")) {
            guest.askOn();
            String vm = ready(second, "a"); // create
            guest.askOn();
            second.send("POST", VMS + "/" + vm + "/stop", "", 200);
            until(second, vm, "stopped/stopped");
            guest.askOn();
            second.send("POST", VMS + "/" + vm + "/start", "", 200); // start
            until(second, vm, "running/ready");
            guest.askOn();
            second.send("DELETE", VMS + "/" + vm + "?force=true", "", 204); // destroy
            until(second, vm, "destroyed/destroyed");

            assertThat(guest.end()).isZero();
        }
    }

    private static void untilStatus(ControlApi api, String path, String pointer, String status) {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Patience.usual())
                .untilAsserted(() -> assertThat(
                                api.send("GET", path, "", 200).at(pointer).asText())
                        .isEqualTo(status));
    }

    @Test
    void neitherAForkNorAnAgentIsLetThroughForAMoment() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        rule(first);
        ControlApi second = ControlApi.signUp(port);
        String vm = ready(second, "a");
        String snapshot = second.send("POST", VMS + "/" + vm + "/snapshots", "{}", 201)
                .at("/data/id")
                .asText();
        untilStatus(second, "/v1/snapshots/" + snapshot, "/data/status", "ready");
        try (Restless fork = new Restless("127.77.0.3");
                Restless agent = new Restless("127.77.0.4")) {
            fork.askOn();
            agent.askOn();
            String forked = second.send(
                            "POST",
                            VMS,
                            "{\"name\": \"b\", \"public_key\": \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA\","
                                    + " \"snapshot_id\": \"" + snapshot + "\"}",
                            201)
                    .path("id")
                    .asText();
            until(second, forked, "running/ready");
            String made = second.send(
                            "POST",
                            "/v1/agents",
                            "{\"name\": \"a\", \"repo\": \"https://git.test/a.git\", \"prompt\": \"p\"}",
                            201)
                    .path("id")
                    .asText();
            untilStatus(second, "/v1/agents/" + made, "/status", "idle");

            assertThat(fork.end()).isZero();
            assertThat(agent.end()).isZero();
            rule(second);
            assertThat(from("127.77.0.3")).as("it was this one").isEqualTo(200);
            assertThat(from("127.77.0.4")).as("it was this one").isEqualTo(200);
        }
    }

    @Test
    void aRestartOfTheControlPlaneLetsNoGuestThroughForAMoment() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        rule(first);
        ControlApi second = ControlApi.signUp(port);
        String vm = ready(second, "a");
        assertThat(from("127.77.0.2")).isEqualTo(403);
        try (Restless guest = new Restless("127.77.0.2")) {
            guest.askOn();
            proxy.close();

            proxy = start();

            until(second, vm, "running/ready");
            assertThat(guest.end()).isZero();
        }
    }

    @Test
    void afterARestartGuestsAreJudgedByTheirPoliciesFromTheFirstRequestOn() throws Exception {
        ControlApi first = ControlApi.signUp(port);
        ControlApi second = ControlApi.signUp(port);
        rule(second);
        String vm = ready(second, "a");
        first.send("GET", VMS, "", 200);
        proxy.close();

        proxy = start();

        assertThat(from("127.77.0.2")).isEqualTo(200);
        until(second, vm, "running/ready");
    }

    @Test
    void aRuleThatIsTakenAwayWhileAVmIsStoppedIsGoneWhenItRunsAgain() throws Exception {
        ControlApi.signUp(port);
        ControlApi second = ControlApi.signUp(port);
        String rule = rule(second);
        String vm = ready(second, "a");
        assertThat(from("127.77.0.2")).isEqualTo(200);
        second.send("POST", VMS + "/" + vm + "/stop", "", 200);
        until(second, vm, "stopped/stopped");

        second.send("DELETE", rule, "", 204);
        second.send("POST", VMS + "/" + vm + "/start", "", 200);
        until(second, vm, "running/ready");

        assertThat(from("127.77.0.2"))
                .as("ready is said once the gate has the change")
                .isEqualTo(403);
    }
}

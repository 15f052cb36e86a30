package dev.sallyport.transforms.grpc;

import static dev.sallyport.transforms.grpc.PolicyServer.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.ReloadResult;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestParent;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One connection for all calls, and what happens when it is lost. */
class ConnectionTest {

    private static final int LOAD = 40;

    @TempDir
    Path folder;

    @Test
    void fiveHundredCallsShareOneConnection() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                Gate gate = Gate.start(folder, Gate.ask(server, ""), Gate.ask("other", server.target(), ""))) {
            gate.get("/first");
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                all.add(gate.client().sendAsync(gate.request("/" + i).build(), BodyHandlers.ofString()));
            }
            for (CompletableFuture<HttpResponse<String>> one : all) {
                assertThat(one.get(3L * Patience.SECONDS, TimeUnit.SECONDS).statusCode())
                        .isEqualTo(200);
            }

            assertThat(server.requests()).hasSize(2 * 501);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aReloadKeepsTheConnection() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            gate.get("/");
            assertThat(gate.reload(Gate.ask(server, ", timeout: 3s"))).isInstanceOf(ReloadResult.Reloaded.class);
            gate.get("/");

            assertThat(server.requests()).hasSize(2);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    /** {@code proxy.upstream_proxy}: an open connection must not go on by the way that a reload has closed. */
    @Test
    @Tag("long")
    void aReloadThatBringsAParentReplacesTheConnection() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                TestParent parent = TestParent.http();
                Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            assertThat(server.connections()).isEqualTo(1);

            gate.reloadBehind(parent.url("http"), Gate.ask(server, ""));
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            assertThat(parent.asked()).contains("CONNECT 127.0.0.1:" + server.port());
            await().atMost(Patience.usual())
                    .untilAsserted(() -> assertThat(server.open()).isEqualTo(1));

            // when: it is gone again, without any call
            gate.reload(Gate.ask(server, ""));
            await().atMost(Patience.usual())
                    .untilAsserted(() -> assertThat(server.open()).isZero());
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            assertThat(server.connections()).isEqualTo(3);
        }
    }

    @Test
    void theLastInstanceClosesTheConnection() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                PolicyServer other = PolicyServer.start();
                Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            gate.get("/");
            gate.reload(Gate.ask(other, ""));
            gate.get("/");

            await().untilAsserted(() -> assertThat(server.open()).isZero());
            assertThat(other.open()).isEqualTo(1);
        }
    }

    /**
     * Left to itself gRPC tries ever more rarely: eight times in the first minute. As many attempts as this come only when
     * calls that want the server bring them about.
     */
    @Test
    void aServerThatIsAwayIsTriedForAsLongAsCallsWantIt() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (PolicyServer server = PolicyServer.start();
                Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            server.kill();
            try (ServerSocket closing = new ServerSocket(server.port(), 50, InetAddress.getLoopbackAddress())) {
                Thread away = Thread.ofVirtual().start(() -> turnAway(closing, attempts));
                await().atMost(Patience.seconds(60)).until(() -> {
                    assertThat(gate.get("/").statusCode()).isEqualTo(503);
                    return attempts.get() >= 20;
                });
                closing.close();
                away.join();
            }
            server.restart();

            await().atMost(Patience.seconds(60)).until(() -> gate.get("/").statusCode() == 200);
        }
    }

    private static void turnAway(ServerSocket listening, AtomicInteger attempts) {
        try {
            while (true) {
                listening.accept().close();
                attempts.incrementAndGet();
            }
        } catch (IOException e) {
            assertThat(listening.isClosed()).isTrue();
        }
    }

    /** Every request that reached the origin must have been seen by the server, whatever happens to it. */
    @Test
    void aServerThatDiesUnderLoadLetsNothingPassAndIsFoundAgain() throws Exception {
        AtomicInteger unseen = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        AtomicLong passed = new AtomicLong();
        try (PolicyServer server =
                        PolicyServer.start().modifying(request -> request.putHeaders("X-Seen", lines("yes")));
                Gate gate = Gate.start(
                        folder,
                        Version.HTTP_1_1,
                        request -> {
                            unseen.addAndGet(request.header("X-Seen").equals("yes") ? 0 : 1);
                            return TestResponse.ok("from the origin");
                        },
                        Gate.ask(server, ""))) {
            List<Thread> load = new ArrayList<>();
            for (int i = 0; i < LOAD; i++) {
                load.add(Thread.ofVirtual().start(() -> {
                    while (!over.get()) {
                        switch (status(gate)) {
                            case 200 -> passed.incrementAndGet();
                            case 503 -> refused.incrementAndGet();
                            default -> unseen.addAndGet(1000);
                        }
                    }
                }));
            }
            try {
                for (int round = 0; round < 3; round++) {
                    long before = passed.get();
                    await().atMost(Patience.seconds(60)).until(() -> passed.get() > before + LOAD);
                    server.kill();
                    int sofar = refused.get();
                    await().atMost(Patience.seconds(60)).until(() -> refused.get() > sofar + LOAD);
                    long down = passed.get();
                    server.restart();
                    long restarted = System.nanoTime();
                    await().pollInterval(Duration.ofMillis(5))
                            .atMost(Patience.seconds(60))
                            .until(() -> passed.get() > down);
                    System.out.println(
                            "found again after " + (System.nanoTime() - restarted) / 1_000_000 + " ms under load");
                }
            } finally {
                over.set(true);
                for (Thread one : load) {
                    one.join();
                }
            }

            assertThat(unseen.get()).isZero();
        }
    }

    private static int status(Gate gate) {
        try {
            return gate.get("/").statusCode();
        } catch (Exception e) {
            return -1;
        }
    }

    @Test
    void aServerThatWasAwayForLongIsFoundAgain() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                Gate gate = Gate.start(folder, Gate.ask(server, ""))) {
            server.kill();
            for (int i = 0; i < 40; i++) {
                assertThat(gate.get("/").statusCode()).isEqualTo(503);
            }
            assertThat(gate.forwarded()).isEmpty();
            server.restart();

            await().atMost(Patience.seconds(60)).until(() -> gate.get("/").statusCode() == 200);
        }
    }

    @Test
    void aServerThatSaysItDoesNotServeIsNotAsked() throws Exception {
        HealthStatusManager health = new HealthStatusManager();
        try (PolicyServer server = PolicyServer.start(health.getHealthService());
                Gate gate = Gate.start(folder, Gate.ask(server, ", timeout: 30s"))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.NOT_SERVING);
            await().until(() -> gate.get("/").statusCode() == 503);
            int asked = server.requests().size();
            assertThat(gate.get("/").statusCode()).isEqualTo(503);
            assertThat(server.requests()).hasSize(asked);

            health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
            await().until(() -> gate.get("/").statusCode() == 200);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionOnWhichNothingComesIsReplaced() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                BlackHole hole = new BlackHole(server.port());
                Gate gate = Gate.start(folder, Gate.ask("house", "127.0.0.1:" + hole.port(), ", timeout: 500ms"))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(200);
            hole.swallow();

            await().atMost(Patience.usual()).until(() -> gate.get("/").statusCode() == 200);

            assertThat(server.connections()).isEqualTo(2);
        }
    }
}

package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.FakeKms;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a proxy does with a control plane that is away for long, or says what no control plane says. */
@Timeout(120)
class FeedFaultsTest {

    private static final String OPEN =
            "{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"rules\":[{\"host\":\"127.0.0.1\"}]}}]}";

    @TempDir
    Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private TestOrigin origin;

    @BeforeEach
    void begin() {
        origin = TestOrigin.answering(TestOrigin.ok("there"));
    }

    @AfterEach
    void end() throws IOException {
        done.countDown();
        origin.close();
    }

    private TestProxy proxy(String name, String token, String section) throws Exception {
        return TestProxy.builder(Files.createDirectories(folder.resolve(name)))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, token))
                .sections(section)
                .start();
    }

    private String get(TestProxy proxy) throws IOException {
        Wire.Message answer = proxy.get(origin, "/");
        return answer.status() + " " + answer.body();
    }

    private void until(TestProxy proxy, String answer) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Patience.seconds(60))
                .untilAsserted(() -> assertThat(get(proxy)).startsWith(answer));
    }

    /** Nothing changes while it cannot be reached, for max_offline; then everything is refused, after a restart, too. */
    @Tag("long")
    @Test
    void whatIsHeldHoldsForMaxOffline() throws Exception {
        try (ControlSite site = new ControlSite(folder.resolve("control"))) {
            ControlApi api = site.signUp();
            ControlSite.Made made = ControlSite.proxy(api, "p");
            api.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
            String section = site.section("max_offline: 3s", "cache_dir: " + folder.resolve("cache"));
            try (TestProxy proxy = proxy("p", made.token(), section)) {
                until(proxy, "200");

                site.stop();

                until(proxy, "503");
                assertThat(get(proxy)).contains("not_ready");
            }
            try (TestProxy proxy = proxy("p", made.token(), section)) {
                assertThat(get(proxy)).as("what was kept is too old").startsWith("503");
                site.start();
                until(proxy, "200");
            }
        }
    }

    /** A cache that was kept with another key says nothing to this proxy: knowing the token is not enough. */
    @Test
    void whatWasKeptWithAnotherKeyIsNotUsed() throws Exception {
        try (ControlSite site = new ControlSite(folder.resolve("control"))) {
            ControlApi api = site.signUp();
            ControlSite.Made made = ControlSite.proxy(api, "p");
            api.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
            Path key = folder.resolve("cache.key");
            String section = site.section(
                    "cache_dir: " + folder.resolve("cache"), "cache_key_file: " + folder.resolve("cache.key"));
            try (TestProxy proxy = proxy("p", made.token(), section)) {
                until(proxy, "200");
                await().until(() -> Files.exists(folder.resolve("cache/snapshot")));
            }
            assertThat(new String(Files.readAllBytes(folder.resolve("cache/snapshot")), StandardCharsets.ISO_8859_1))
                    .doesNotContain("127.0.0.1")
                    .doesNotContain("allowlist");
            site.stop();

            Files.delete(key);

            try (TestProxy proxy = proxy("p", made.token(), section)) {
                assertThat(get(proxy)).startsWith("503").contains("not_ready");
            }
        }
    }

    /** With a key of AWS KMS: what was kept is used while KMS can be asked, and nothing is in clear when it cannot. */
    @Test
    void whatWasKeptWithAKeyOfKmsNeedsKms() throws Exception {
        try (FakeKms kms = new FakeKms();
                ControlSite site = new ControlSite(folder.resolve("control"))) {
            ControlApi api = site.signUp();
            ControlSite.Made made = ControlSite.proxy(api, "p");
            api.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
            String section =
                    site.section("cache_dir: " + folder.resolve("cache"), "cache_kms_key_id: \"" + FakeKms.KEY + "\"");
            kms.refuse("KMSInternalException");
            try (TestProxy proxy = proxy("p", made.token(), section)) {
                until(proxy, "200");
                assertThat(folder.resolve("cache/snapshot")).doesNotExist();
            }
            kms.refuse("");
            try (TestProxy proxy = proxy("p", made.token(), section)) {
                until(proxy, "200");
                await().until(() -> Files.exists(folder.resolve("cache/snapshot")));
            }
            assertThat(folder.resolve("cache/cache.key")).doesNotExist();
            site.stop();

            try (TestProxy proxy = proxy("p", made.token(), section)) {
                assertThat(get(proxy)).startsWith("200");
            }
            kms.refuse("AccessDeniedException");
            try (TestProxy proxy = proxy("p", made.token(), section)) {
                assertThat(get(proxy)).startsWith("503").contains("not_ready");
            }
        }
    }

    /** A policy that cannot be built closes the proxies of its account, and those of nobody else. */
    @Test
    void anAccountThatCannotBeBuiltConcernsNobodyElse() throws Exception {
        try (ControlSite site = new ControlSite(folder.resolve("control"))) {
            ControlApi one = site.signUp();
            ControlApi other = site.signUp();
            one.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
            other.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
            try (TestProxy mine = proxy("one", ControlSite.proxy(one, "p").token(), site.section());
                    TestProxy theirs =
                            proxy("other", ControlSite.proxy(other, "p").token(), site.section())) {
                until(mine, "200");
                until(theirs, "200");

                one.send(
                        "POST",
                        "/v1/policies/secrets?wait=applied&timeout=20s",
                        "{\"name\": \"key\", \"priority\": 1, \"mode\": \"inject\", \"source\": {\"type\": \"cloud_sm\", \"secret_id\": \"s\"}, \"inject_config\": {\"header\": \"Authorization\"}}",
                        201);
                other.send(
                        "POST",
                        "/v1/policies/network?wait=applied&timeout=20s",
                        ControlApi.network("more", "more.test"),
                        201);

                assertThat(get(mine)).startsWith("503").contains("policy_unavailable");
                assertThat(get(theirs)).startsWith("200");
            }
        }
    }

    private static String snapshot(String format, long revision, String hash, String pipeline) {
        return "event: snapshot\ndata: {\"epoch\":\"e\",\"format\":" + format + ",\"revision\":" + revision
                + ",\"hash\":\"" + hash + "\",\"pipeline\":\"" + pipeline.replace("\"", "\\\"") + "\"}\n\n";
    }

    private static String good() throws Exception {
        String hash = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(OPEN.getBytes(StandardCharsets.UTF_8)));
        return snapshot("1", 1, hash, OPEN);
    }

    /** What no control plane sends, after a snapshot that is good. */
    private static String bad(String kind) throws Exception {
        return switch (kind) {
            case "empty object" -> "event: snapshot\ndata: {}\n\n";
            case "no JSON" -> "event: snapshot\ndata: <html>\n\n";
            case "null" -> "event: snapshot\ndata: null\n\n";
            case "empty pipeline" -> snapshot("1", 2, "", "");
            case "unknown form" -> good().replace("\"format\":1", "\"format\":99");
            case "another hash" -> snapshot("1", 2, "0".repeat(64), OPEN);
            case "no gate" -> good().replace("allowlist", "annotate");
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** A control plane that answers the first connection so, and says nothing more on any other. */
    private TestOrigin controlPlane(String events, AtomicInteger connections) {
        return TestOrigin.of(peer -> {
            while (true) {
                Wire.Message request = peer.request();
                if (request.startLine().startsWith("POST ")) {
                    peer.send("HTTP/1.1 204 No Content\r\n\r\n");
                    continue;
                }
                peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                peer.chunk(connections.incrementAndGet() == 1 ? events : "event: hello\ndata: {}\n\n");
                done.await();
            }
        });
    }

    private static String following(TestOrigin control) {
        return "control_plane: {url: \"http://" + control.authority() + "\", token_env: " + ControlSite.TOKEN + "}\n";
    }

    /** An empty or unknown body is refused, never applied: what was in force before stays, and the connection is made anew. */
    @ParameterizedTest
    @ValueSource(
            strings = {"empty object", "no JSON", "null", "empty pipeline", "unknown form", "another hash", "no gate"})
    void whatIsNoSnapshotIsNotApplied(String kind) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (TestOrigin control = controlPlane(good() + bad(kind), connections);
                TestProxy proxy = proxy("p", "token", following(control))) {
            await().atMost(Patience.seconds(60)).until(() -> connections.get() > 1);

            assertThat(get(proxy)).startsWith("200");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"empty object", "no JSON", "null", "empty pipeline", "unknown form", "another hash", "no gate"})
    void whatIsNoSnapshotIsNoFirstOne(String kind) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (TestOrigin control = controlPlane(bad(kind), connections);
                TestProxy proxy = proxy("p", "token", following(control))) {
            await().atMost(Patience.seconds(60)).until(() -> connections.get() > 1);

            assertThat(get(proxy)).startsWith("503").contains("not_ready");
        }
    }

    /** An event of a later version is no fault. */
    @Test
    void anUnknownEventIsPassedOver() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (TestOrigin control = controlPlane(": comment\n\nevent: novelty\ndata: {}\n\n" + good(), connections);
                TestProxy proxy = proxy("p", "token", following(control))) {
            until(proxy, "200");
            assertThat(connections).hasValue(1);
        }
    }
}

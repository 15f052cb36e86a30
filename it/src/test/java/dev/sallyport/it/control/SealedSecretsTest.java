package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** docs/spec/decisions.md, section 16: secrets at a proxy elsewhere, where they show, and how long they last. */
@Timeout(180)
class SealedSecretsTest {

    private static final String VALUE = "s3cr3t-0123456789";
    private static final String WAIT = "?wait=applied&timeout=20s";

    @TempDir
    Path folder;

    private ControlSite site;
    private ControlApi api;
    private ControlSite.Made made;
    private TestOrigin origin;
    private String secret;

    @BeforeEach
    void begin() throws Exception {
        site = new ControlSite(folder.resolve("control"));
        api = site.signUp();
        made = ControlSite.proxy(api, "p");
        api.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
        secret = "/v1/secrets/"
                + api.send(
                                "POST",
                                "/v1/secrets",
                                "{\"name\": \"KEY\", \"secret\": \"" + VALUE + "\", \"env_var\": \"KEY\"}",
                                201)
                        .path("id")
                        .asText();
        origin = TestOrigin.handling(request ->
                TestOrigin.ok(Wire.field(request.head(), "X-Key").equals(VALUE) ? "the value" : "something else"));
    }

    @AfterEach
    void end() throws IOException {
        origin.close();
        site.close();
    }

    private TestProxy proxy(String section) throws Exception {
        return TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .catalog(ControlSite.catalog())
                .environment(Map.of(ControlSite.TOKEN, made.token()))
                .sections(section)
                .start();
    }

    private String cached(String... lines) {
        String[] all = Stream.concat(Stream.of("cache_dir: " + folder.resolve("cache")), Stream.of(lines))
                .toArray(String[]::new);
        return site.section(all);
    }

    private String with(TestProxy proxy) throws IOException {
        Wire.Message answer = proxy.get(origin, "/", "X-Key: SALLYPORT_PROXY_KEY");
        return answer.status() + " " + answer.body();
    }

    private String without(TestProxy proxy) throws IOException {
        return String.valueOf(proxy.get(origin, "/").status());
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(5)).atMost(Patience.seconds(60));
    }

    private void until(TestProxy proxy, String answer) {
        soon().untilAsserted(() -> assertThat(with(proxy)).startsWith(answer));
    }

    @Test
    void theyAreKeptForAStartWhileTheControlPlaneIsAway() throws Exception {
        try (TestProxy proxy = proxy(cached())) {
            until(proxy, "200 the value");
        }
        site.stop();

        try (TestProxy proxy = proxy(cached())) {
            assertThat(with(proxy)).isEqualTo("200 the value");

            site.start();
            api.send("PATCH", secret + "?wait=applied", "{\"secret\": \"an0ther-9876543210\"}", 200);
            until(proxy, "200 something else");
        }
    }

    /** After credentials_max_age without a word the values go, the allowlist goes on, and they come back. */
    @Test
    @Tag("long")
    void theyExpireWhileTheAllowlistGoesOnAndComeBackWithTheControlPlane() throws Exception {
        String section = cached("credentials_max_age: 3s");
        try (TestProxy proxy = proxy(section)) {
            until(proxy, "200 the value");

            site.stop();

            until(proxy, "403");
            assertThat(with(proxy))
                    .contains("secret_unavailable", "the control plane has not confirmed it for too long");
            assertThat(without(proxy)).isEqualTo("200");
        }
        try (TestProxy proxy = proxy(section)) {
            assertThat(with(proxy))
                    .as("after a restart")
                    .startsWith("403")
                    .contains("secret_unavailable", "the control plane has not confirmed it for too long");
            assertThat(without(proxy)).isEqualTo("200");

            site.start();

            until(proxy, "200 the value");
        }
    }

    @Test
    void aRevokedTokenEndsThemAll() throws Exception {
        try (TestProxy proxy = proxy(cached())) {
            until(proxy, "200 the value");

            api.send("DELETE", made.path(), "", 204);

            until(proxy, "503");
            soon().until(() -> !Files.exists(folder.resolve("cache/snapshot")));
        }
    }

    /** Names of what the organization has tell nobody else anything. */
    @Test
    void aFileCannotNameASecretOfAnotherOrganization() throws Exception {
        ControlApi other = site.signUp();
        String organization =
                api.send("GET", "/v1/me", "", 200).at("/organization/id").asText();
        String reference = organization + "/" + secret.replaceAll(".*/", "") + "/KEY";
        made = ControlSite.proxy(other, "p");
        other.create("/v1/policies/network", ControlApi.network("origin", "127.0.0.1"));
        try (TestProxy proxy = proxy(site.section()
                + "transforms:\n  - name: secrets\n    config:\n      secrets:\n        - source: {type: control_plane, ref: \""
                + reference + "\", optional: true}\n          replace: {proxy_value: SALLYPORT_PROXY_KEY}\n")) {
            soon().untilAsserted(() -> assertThat(without(proxy)).isEqualTo("200"));

            assertThat(with(proxy)).startsWith("403").contains("secret_unavailable");
        }
    }

    /** Passes bytes on, and keeps them. */
    private static final class Recorder implements AutoCloseable {

        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();
        private final int target;

        Recorder(int target) throws IOException {
            this.target = target;
            Thread.ofVirtual().start(this::accept);
        }

        private void accept() {
            while (true) {
                try {
                    Socket client = server.accept();
                    Socket other = new Socket(InetAddress.getLoopbackAddress(), target);
                    Thread.ofVirtual().start(() -> pass(client, other));
                    Thread.ofVirtual().start(() -> pass(other, client));
                } catch (IOException e) {
                    return; // closed
                }
            }
        }

        private void pass(Socket from, Socket to) {
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] some = new byte[8192];
                for (int read = in.read(some); read >= 0; read = in.read(some)) {
                    synchronized (all) {
                        all.write(some, 0, read);
                    }
                    out.write(some, 0, read);
                }
            } catch (IOException e) {
                assertThat(e.getMessage()).as("the other end has closed").isNotNull();
            }
        }

        String text() {
            synchronized (all) {
                return all.toString(StandardCharsets.ISO_8859_1);
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    /** Not on the wire between control plane and proxy, not in the cache, not in a log, not in the records. */
    @Test
    void noValueShowsOnTheWay() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Logger ours = (Logger) LoggerFactory.getLogger("dev.sallyport"); // that of Netty dumps the test's own calls
        ListAppender<ILoggingEvent> logs = new ListAppender<>();
        logs.start();
        Level before = ours.getLevel();
        root.addAppender(logs);
        ours.setLevel(Level.TRACE);
        String rotated = "an0ther-9876543210";
        String port = site.section().replaceAll("(?s).*127\\.0\\.0\\.1:([0-9]+).*", "$1");
        try (Recorder recorder = new Recorder(Integer.parseInt(port));
                TestProxy proxy =
                        proxy(cached().replace("127.0.0.1:" + port, "127.0.0.1:" + recorder.server.getLocalPort()))) {
            until(proxy, "200 the value");
            api.send("PATCH", secret + WAIT, "{\"secret\": \"" + rotated + "\"}", 200);
            assertThat(api.applied()).isEqualTo("true");
            soon().until(() -> Files.exists(folder.resolve("cache/snapshot")));

            for (String value : new String[] {VALUE, rotated}) {
                assertThat(recorder.text()).contains("event: secrets").doesNotContain(value);
                assertThat(recorder.text().split("/KEY\",\"version\"", -1)).hasSize(3);
                assertThat(Files.readString(folder.resolve("cache/snapshot"), StandardCharsets.ISO_8859_1))
                        .doesNotContain(value);
                assertThat(api.send("GET", "/v1/audit/admin", "", 200).toString())
                        .contains("value_version")
                        .doesNotContain(value);
                assertThat(proxy.closeAndRecords().toString()).doesNotContain(value);
            }
        } finally {
            ours.setLevel(before);
            root.detachAppender(logs);
        }
        assertThat(logs.list)
                .isNotEmpty()
                .noneMatch(event -> event.getFormattedMessage().contains("3cr3t-01")
                        || event.getFormattedMessage().contains("0ther-98"));
    }
}

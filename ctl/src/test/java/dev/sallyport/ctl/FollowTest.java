package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code audit --follow} (docs/spec/decisions.md, section 16). */
@Timeout(60)
class FollowTest {

    private static final String KEY = "sp_live_0123456789012345678901234567890123456789012";

    @TempDir
    Path folder;

    /** What the server answers, one connection after the other; then it refuses connections with 401. */
    private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private Shell shell;

    private record Answer(int status, String body, boolean breaks) {}

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
        shell = new Shell(folder)
                .with(
                        "SALLYPORT_SERVER",
                        "http://127.0.0.1:" + server.getAddress().getPort())
                .with("SALLYPORT_API_KEY", KEY);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String from = exchange.getRequestHeaders().getFirst("Last-Event-ID");
        asked.add(exchange.getRequestURI() + " " + from);
        Answer answer = answers.poll();
        if (answer == null) {
            answer = new Answer(401, "{\"error\": {\"code\": \"unauthorized\", \"message\": \"no\"}}", false);
        }
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders()
                .add("Content-Type", answer.status() == 200 ? "text/event-stream" : "application/json");
        exchange.getResponseHeaders().add("Retry-After", "2");
        // A length that never comes is a connection that breaks.
        exchange.sendResponseHeaders(answer.status(), body.length + (answer.breaks() ? 10 : 0));
        exchange.getResponseBody().write(body);
        exchange.getResponseBody().flush();
        exchange.close();
    }

    private static String hello(boolean resumed, String id) {
        return """
                event: hello
                id: %s
                data: {"resumed":%s}

                """.formatted(id, resumed);
    }

    private static String event(String id, String host) {
        return """
                : a comment
                event: event
                id: %s
                data: {"id": "%s", "timestamp": "2026-01-02T03:04:05.678Z", "verdict": "denied",
                data: "allowed": false, "protocol": "tls", "host": "%s", "replacements": []}

                """.formatted(id, id, host);
    }

    @Test
    void eventsAreShownOnALineEach() {
        answers.add(new Answer(200, hello(false, "1") + event("2", "a.test") + event("3", "b.test"), false));

        Shell.Result result = shell.run("audit", "--follow", "--verdict", "denied", "--count", "2");

        assertThat(result).isEqualTo(new Shell.Result(0, """
                        2026-01-02T03:04:05.678Z  denied  false  tls  a.test  <none>
                        2026-01-02T03:04:05.678Z  denied  false  tls  b.test  <none>
                        """, ""));
        assertThat(asked).containsExactly("/v1/audit/egress/stream?verdict=denied null");
    }

    @Test
    void itGoesOnWhereAConnectionBrokeOrEndedWithoutLossOrRepetition() {
        answers.add(new Answer(200, hello(false, "1") + event("2", "a.test"), true));
        answers.add(new Answer(200, hello(true, "2") + event("3", "b.test"), false));
        answers.add(new Answer(503, "{\"error\": {\"code\": \"overloaded\", \"message\": \"later\"}}", false));
        answers.add(new Answer(200, hello(true, "3") + event("4", "c.test"), false));

        Shell.Result result = shell.run("audit", "--follow", "--count", "3", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.out().lines().map(line -> line.replaceAll(".*\"host\":\"([a-z.]+)\".*", "$1")))
                .containsExactly("a.test", "b.test", "c.test");
        assertThat(asked.stream().map(line -> line.replaceAll(".* ", ""))).containsExactly("null", "2", "3", "3");
        assertThat(result.err()).contains(" broke; trying again").doesNotContain("missing");
        assertThat(shell.pauses()).hasSize(3).contains(Duration.ofSeconds(2));
    }

    @Test
    void eventsThatMayBeMissingAreTold() {
        answers.add(new Answer(200, hello(false, "1"), false));
        answers.add(new Answer(200, hello(false, "9") + event("10", "a.test"), false));

        Shell.Result result = shell.run("audit", "--follow", "--count", "1");

        assertThat(result.code()).isZero();
        assertThat(result.err()).contains("some events may be missing");
    }

    @Test
    void aKeyThatIsRevokedEndsItWith4AndAFirstConnectionThatFailsAtOnceToo() {
        answers.add(new Answer(200, hello(false, "1"), false));
        assertThat(shell.run("audit", "--follow").code()).isEqualTo(4);

        assertThat(shell.run("audit", "--follow").code()).isEqualTo(4);
        answers.add(new Answer(409, "{\"error\": {\"code\": \"quota_exceeded\", \"message\": \"10 streams\"}}", false));
        assertThat(shell.run("audit", "--follow").code()).isEqualTo(1);
        answers.add(new Answer(200, "{}", false));
        server.stop(0);
        assertThat(shell.run("audit", "--follow").code()).isEqualTo(3);
        assertThat(shell.run("audit").code()).isEqualTo(2);
        assertThat(shell.run("audit", "--follow", "--count", "0").code()).isEqualTo(2);
    }

    @Test
    void aRealControlPlaneIsFollowedUntilTheKeyIsRevoked() {
        TestControl control = TestControl.shared();
        String owner = control.newKey();
        var made = control.send("POST", "/v1/api-keys", owner, "{\"name\": \"follower\"}");
        shell.with("SALLYPORT_SERVER", control.url())
                .with("SALLYPORT_API_KEY", made.path("token").asText());
        StringWriter err = new StringWriter();
        CompletableFuture<Shell.Result> following =
                CompletableFuture.supplyAsync(() -> shell.run(new StringWriter(), err, "audit", "--follow"));
        Awaitility.await()
                .until(() -> control.send("GET", "/v1/audit/admin?action=read", owner, null)
                        .toString()
                        .contains("stream"));

        control.send("DELETE", "/v1/api-keys/" + made.path("id").asText(), owner, null);

        assertThat(following.join().code()).as(err.toString()).isEqualTo(4);
    }
}

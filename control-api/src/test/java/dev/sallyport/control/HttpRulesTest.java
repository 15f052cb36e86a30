package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.metrics.data.MetricData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What RFC 9110 and 9112 ask of a server, and clients that go away. */
class HttpRulesTest {

    private final TestControl control = TestControl.shared();
    private final Wire wire = new Wire(control.address());

    @AfterEach
    void close() throws IOException {
        wire.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Sends this, and reads until the server closes. */
    private static String untilClosed(URI address, String text) throws IOException {
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(Patience.MILLIS);
            socket.getOutputStream().write(bytes(text));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 100\r\n\r\n{\"a\": 1",
                "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\": 1\r\n",
                "Transfer-Encoding: chunked\r\n\r\n64\r\n{\"a\": 1"
            })
    void aBodyThatIsCutOffIsNoFaultOfTheServer(String rest) throws IOException {
        try (TestMeters meters = new TestMeters();
                TestControl alone = TestControl.with(TestControl.NO_LIMITS, meters);
                LogCapture log = LogCapture.open()) {
            try (Socket socket =
                    new Socket(alone.address().getHost(), alone.address().getPort())) {
                socket.getOutputStream().write(bytes("POST /v1/users HTTP/1.1\r\nHost: x\r\n" + rest));
            }

            Awaitility.await()
                    .atMost(Patience.usual())
                    .until(() -> statuses(meters).contains(499L));
            assertThat(statuses(meters)).containsExactlyInAnyOrder(200L, 499L); // the document, and this
            assertThat(log.text()).contains("went away").doesNotContain("internal_error");
        }
    }

    private static Set<Long> statuses(TestMeters meters) {
        MetricData metric = meters.metric("sallyport.control.request.duration");
        return metric == null
                ? Set.of()
                : metric.getHistogramData().getPoints().stream()
                        .map(point -> point.getAttributes().get(AttributeKey.longKey("status")))
                        .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/me", "/device", "/v1/nothing", "/healthz", "/v1/openapi.json", "/nowhere", "/v1/%zz"})
    void theAnswerToHeadTellsTheLengthAndLeavesTheConnectionOpen(String path) throws IOException {
        Api api = control.newAccount();
        String head = " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + api.key() + "\r\n";
        boolean malformed = path.contains("%");

        String get = untilClosed(control.address(), "GET " + path + head + "Connection: close\r\n\r\n");
        String both = untilClosed(
                control.address(),
                "HEAD " + path + head + "\r\n" + "GET /healthz" + head + "Connection: close\r\n\r\n");

        String length =
                "content-length: " + get.substring(get.indexOf("\r\n\r\n") + 4).length();
        assertThat(get.toLowerCase(Locale.ROOT)).contains(length);
        assertThat(both.substring(0, both.indexOf("\r\n\r\n")).toLowerCase(Locale.ROOT))
                .contains(length);
        assertThat(both.split("HTTP/1.1 ", -1)).hasSize(malformed ? 2 : 3);
    }

    @Test
    void aRequestIsForOneHost() throws IOException {
        URI address = control.address();

        assertThat(untilClosed(address, "GET /healthz HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(untilClosed(address, "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(untilClosed(address, "GET /healthz HTTP/1.0\r\n\r\n")).contains(" 200 ");
    }

    /** The framework has older ones of these. */
    @Test
    void reasonPhrasesAreThoseOfRfc9110() throws IOException {
        String post = "POST /v1/egress/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                + control.newAccount().key() + "\r\nContent-Length: ";

        assertThat(firstLine(post + "2\r\n\r\n{}")).isEqualTo("HTTP/1.1 422 Unprocessable Content");
        assertThat(firstLine(post + "20000\r\n\r\n")).isEqualTo("HTTP/1.1 413 Content Too Large");
        assertThat(firstLine("GET /" + "x".repeat(5000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .isEqualTo("HTTP/1.1 414 URI Too Long");
    }

    /** RFC 9110, 10.1.1: the client has not sent it yet, and need not. */
    @ParameterizedTest
    @CsvSource({
        "POST, /v1/policies/secrets, 2097152",
        "PUT, /v1/env/A, 2097152",
        "POST, /v1/egress/rules, 16384",
        "POST, /v1/users, 16384",
        "POST, /device/sign-in, 16384"
    })
    void aBodyThatIsTooLongIsRefusedBeforeItIsSent(String method, String path, long limit) throws IOException {
        String asked = method + " " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: "
                + (path.startsWith("/v1") ? "application/json" : "application/x-www-form-urlencoded")
                + "\r\nExpect: 100-continue\r\nAuthorization: Bearer "
                + control.newAccount().key() + "\r\nContent-Length: ";

        assertThat(firstLine(asked + (limit + 1) + "\r\n\r\n")).isEqualTo("HTTP/1.1 413 Content Too Large");
        assertThat(firstLine(asked + (1L << 40) + "\r\n\r\n")).isEqualTo("HTTP/1.1 413 Content Too Large");
        assertThat(firstLine(asked + limit + "\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue");
    }

    @Test
    void aBodyIsNotAskedForOfWhomItIsNotTaken() throws IOException {
        String asked = "POST /v1/egress/rules HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n";
        String key = "Authorization: Bearer " + control.newAccount().key() + "\r\n";

        assertThat(firstLine(asked + "\r\n")).isEqualTo("HTTP/1.1 401 Unauthorized");
        assertThat(firstLine(asked + key + "Content-Type: text/plain\r\n\r\n"))
                .isEqualTo("HTTP/1.1 415 Unsupported Media Type");
        assertThat(firstLine(asked.replace("rules", "rule") + key + "\r\n")).isEqualTo("HTTP/1.1 404 Not Found");
    }

    private String firstLine(String request) throws IOException {
        URI address = control.address();
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(Patience.MILLIS);
            socket.getOutputStream().write(bytes(request));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            return String.valueOf(answer.readLine());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "Get", "head", "post", "FOO"})
    void anotherCaseIsAnotherMethod(String method) throws IOException {
        Api.Reply reply = wire.send(bytes(method + " /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"), false);

        assertThat(reply.error()).isEqualTo("405 method_not_allowed");
        assertThat(reply.header("Allow")).contains("GET").contains("OPTIONS");
    }

    @Test
    void optionsAsksAboutTheServerTooAndIsAmongTheMethods() throws IOException {
        Api.Reply server = wire.send(bytes("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), false);
        Api.Reply resource = control.anonymous().send("OPTIONS", "/v1/users", null);

        assertThat(server.status()).isEqualTo(204);
        assertThat(List.of(resource.header("Allow").split(", ", -1))).contains("POST", "OPTIONS");
    }

    @Test
    void aTargetThatCannotBeReadIs400BeforeAKeyIsAskedFor() throws IOException {
        Api.Reply reply = wire.send(bytes("GET /v1/policies/secrets/% HTTP/1.1\r\nHost: x\r\n\r\n"), false);

        assertThat(reply.error()).isEqualTo("400 bad_request");
    }
}

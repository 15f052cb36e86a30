package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no client library sends. */
class MalformedRequestsTest {

    private final TestControl control = TestControl.shared();
    private final Wire wire = new Wire(control.address());
    private final Api api = control.newAccount();

    @AfterEach
    void close() throws IOException {
        wire.close();
    }

    private Api.Reply send(String method, String target, List<FuzzRequest.Field> fields, byte[] body)
            throws IOException {
        return wire.send(new FuzzRequest(method, target, fields, body, 0).bytes("x"), false);
    }

    private FuzzRequest.Field key() {
        return new FuzzRequest.Field("Authorization", "Bearer " + api.key());
    }

    @Test
    void aRequestLineThatIsTooLongIs414AndHeaderFieldsThatAreAre431() throws IOException {
        Api.Reply line = send("GET", "/v1/me?" + "x".repeat(5000), List.of(key()), null);
        Api.Reply fields =
                send("GET", "/v1/me", List.of(key(), new FuzzRequest.Field("X-Long", "x".repeat(9000))), null);

        assertThat(line.error()).isEqualTo("414 uri_too_long");
        assertThat(fields.error()).isEqualTo("431 header_fields_too_large");
        assertThat(List.of(line, fields)).allSatisfy(reply -> {
            assertThat(reply.header("Connection")).isEqualTo("close");
            assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/me", "/v1/\u0001", "/v1/%zz"})
    void afterAHeadThatIsMalformedTheConnectionIsClosed(String target) throws IOException {
        Api.Reply reply = send("GET", target, List.of(new FuzzRequest.Field("X-Bad", "\u0001")), null);

        assertThat(reply.error()).isEqualTo("400 bad_request");
        assertThat(reply.header("Connection")).isEqualTo("close");
        assertThat(send("GET", "/v1/me", List.of(key()), null).status()).isEqualTo(200);
    }

    @Test
    void anAnswerToAHeadThatIsMalformedHasTheFieldsOfEveryAnswerWithoutABodyToo() throws IOException {
        Api.Reply reply = wire.send(bytes(head("HEAD /v1/me HTTP/1.1", "X-Bad: \u0001")), true);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
        assertThat(reply.header("Connection")).isEqualTo("close");
    }

    @Test
    void anotherMajorVersionIsAnsweredAndTheConnectionClosed() throws IOException {
        assertThat(untilClosed(bytes(head("GET /v1/me HTTP/2.0"))))
                .startsWith("HTTP/1.1 400 ")
                .contains("\"bad_request\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\nabc\r\n", "3\r\nabcdef\r\n", "-1\r\n"})
    void afterAMalformedChunkTheConnectionIsClosed(String chunk) throws IOException {
        String refused = "POST /v1/policies/network HTTP/1.1";
        byte[] early = bytes(head(refused, "Transfer-Encoding: chunked"), chunk);
        byte[] late = bytes(head(refused, "Transfer-Encoding: chunked", "Authorization: Bearer " + api.key()), chunk);

        assertThat(untilClosed(early)).startsWith("HTTP/1.1 401 ");
        assertThat(untilClosed(late)).startsWith("HTTP/1.1 400 ");
    }

    @Test
    void whatCameBeforeARequestThatIsMalformedIsAnsweredFirst() throws IOException {
        byte[] pipelined = bytes(
                head("GET /healthz HTTP/1.1"),
                head("GET /v1/me HTTP/1.1", "X-Bad: \u0001"),
                head("GET /healthz HTTP/1.1"));

        assertThat(untilClosed(pipelined).split("HTTP/1.1 "))
                .extracting(answer -> answer.lines().findFirst().orElse(""))
                .containsExactly("", "200 OK", "400 Bad Request");
    }

    private static String head(String line, String... fields) {
        return line + "\r\nHost: x\r\n"
                + String.join("", Stream.of(fields).map(field -> field + "\r\n").toList()) + "\r\n";
    }

    private static byte[] bytes(String... parts) {
        return String.join("", parts).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Sends this, and reads until the server closes. */
    private String untilClosed(byte[] bytes) throws IOException {
        try (Socket socket =
                new Socket(control.address().getHost(), control.address().getPort())) {
            socket.setSoTimeout(Patience.MILLIS);
            socket.getOutputStream().write(bytes);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {";a=b", "a;b", "(", "!", "a+b", "&", "a(b)!"})
    void anIdentifierOfAnyCharactersIsAnUnknownOne(String id) throws IOException {
        assertThat(send("GET", "/v1/policies/secrets/" + id, List.of(key()), null)
                        .error())
                .isEqualTo("404 secret_policy_not_found");
        assertThat(send("DELETE", "/v1/api-keys/" + id, List.of(key()), null).error())
                .isEqualTo("404 api_key_not_found");
    }

    @ParameterizedTest
    @CsvSource({"gzip,400 bad_request", "deflate,400 bad_request", "nonsense,415 unsupported_media_type"})
    void aBodyThatIsNotInItsContentCodingIsRefused(String coding, String error) throws IOException {
        assertThat(send(
                                "POST",
                                "/v1/users",
                                List.of(new FuzzRequest.Field("Content-Encoding", coding)),
                                "{\"first_name\": \"Ada\"}".getBytes(StandardCharsets.UTF_8))
                        .error())
                .isEqualTo(error);
    }

    @Test
    void aCompressedBodyIsReadAndMayNotBeLongerThanAnother() throws IOException {
        List<FuzzRequest.Field> fields = List.of(key(), new FuzzRequest.Field("Content-Encoding", "gzip"));

        assertThat(send(
                                "POST",
                                "/v1/policies/network",
                                fields,
                                gzip("{\"name\": \"zipped\", \"priority\": 1}".getBytes(StandardCharsets.UTF_8)))
                        .status())
                .isEqualTo(201);
        assertThat(send("POST", "/v1/policies/network", fields, gzip(new byte[50 << 20]))
                        .error())
                .isEqualTo("413 payload_too_large");
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void aMalformedFormIs400() throws IOException {
        assertThat(send(
                                "POST",
                                "/device/sign-in",
                                List.of(new FuzzRequest.Field("Content-Type", "application/x-www-form-urlencoded")),
                                "email=%zz&password=x".getBytes(StandardCharsets.UTF_8))
                        .error())
                .isEqualTo("400 bad_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "https://evil.test", "http://localhost:1", "nonsense"})
    void anOriginIsNothingToTheApi(String origin) throws IOException {
        Api.Reply reply = send("GET", "/v1/me", List.of(key(), new FuzzRequest.Field("Origin", origin)), null);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Access-Control-Allow-Origin")).isEmpty();
    }
}

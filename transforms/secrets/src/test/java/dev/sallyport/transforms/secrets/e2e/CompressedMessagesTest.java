package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.coding.Codings;
import io.netty.handler.codec.http2.Http2Error;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of calls that are flagged as compressed, of which nobody says how. */
class CompressedMessagesTest {

    private static final String REAL = "q7Zt2LmWd9kRx4Vb6Hn3YpG8sJcBfK";

    @TempDir
    Path folder;

    private static String message(int flag, String content) {
        byte[] prefix =
                ByteBuffer.allocate(5).put((byte) flag).putInt(content.length()).array();
        return new String(prefix, ISO_8859_1) + content;
    }

    @ParameterizedTest
    @CsvSource({
        "application/grpc-web+proto, , 1",
        "application/grpc-web+proto, identity, 1",
        "application/grpc-web, , 129",
        "application/grpc-web-text+proto, , 1",
        "Application/gRPC-Web-Text, Identity, 1",
        "application/connect+json, , 1",
        "application/connect+proto, identity, 1",
        "Application/Connect+Proto, , 3"
    })
    void theCallEnds(String type, String coding, int flag) throws Exception {
        String first = message(0, "first");
        String second = message(flag, "second");
        boolean text = type.toLowerCase(Locale.ROOT).contains("text");
        String body = text ? base64(first) + base64(second) : first + second;
        String head = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n"
                + (coding == null ? "" : encodingField(type) + ": " + coding + "\r\n");
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(head + "Content-Length: " + body.length() + "\r\n\r\n" + body);
        })) {
            String answer = echo.ask("GET /x", "Content-Type: " + type);

            assertThat(answer).doesNotContain("second").doesNotContain(base64(second));
            if (answer.contains("grpc-status")) {
                assertThat(answer).startsWith("HTTP/1.1 200 ").contains("grpc-status: 13\r\n", "Content-Type: " + type);
            } else if (answer.contains("{\"error\":")) {
                assertThat(answer)
                        .startsWith("HTTP/1.1 200 ")
                        .contains("Content-Type: " + type)
                        .endsWith(message(2, answer.substring(answer.indexOf("{\"error\":{\"code\":\"internal\","))));
            }
            echo.close();
            assertThat(echo.audited()).contains("compressed");
        }
    }

    private static String encodingField(String type) {
        return type.toLowerCase(Locale.ROOT).contains("connect") ? "connect-content-encoding" : "grpc-encoding";
    }

    private static String base64(String latin1) {
        return Base64.getEncoder().encodeToString(latin1.getBytes(ISO_8859_1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/grpc-web+proto", "application/grpc-web-text", "application/connect+proto"})
    void otherMessagesPass(String type) throws Exception {
        String end = type.contains("connect") ? message(2, "{}") : message(0x80, "grpc-status: 0\r\n");
        String messages = message(0, "") + message(0, "\1\1\1\1") + end;
        String body = type.endsWith("text") ? base64(messages) : messages;
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length() + "\r\n\r\n"
                    + body);
        })) {
            assertThat(echo.ask("GET /x")).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n" + body);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/connect+json", "application/grpc-web+json"})
    void whatIsCompressedAsSaidIsSearched(String type) throws Exception {
        String content = "{\"value\":\"" + REAL + "\"}";
        String coded = new String(EchoTest.encode(Codings.parse("gzip"), content), ISO_8859_1);
        String body = message(1, coded) + message(0, content);
        AtomicReference<String> seen = new AtomicReference<>("");
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    seen.set(origin.readHead());
                    origin.send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n" + encodingField(type)
                            + ": gzip\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                });
                Wire client = echo.client()) {
            String accept = type.contains("connect") ? "connect-accept-encoding" : "grpc-accept-encoding";
            String answer = client.send(echo.request("GET /x", "Content-Type: " + type, accept + ": gzip, br"))
                    .response()
                    .body();

            assertThat(seen.get().lines()).contains(accept + ": identity");
            String standIn = PLACEHOLDER + "x".repeat(REAL.length() - PLACEHOLDER.length());
            assertThat(answer)
                    .isEqualTo(message(0, content.replace(REAL, standIn)).repeat(2));
        }
    }

    @Test
    void soItIsOverHttp2() throws Exception {
        try (Echo echo = new Echo(folder, REAL, connection -> {
                    Http2Peer origin = Http2Peer.accept(connection);
                    int stream = origin.message().stream();
                    origin.headers(stream, false, ":status", "200", "content-type", "application/grpc");
                    origin.data(stream, false, message(1, "compressed"));
                    origin.headers(stream, true, "grpc-status", "0");
                    connection.readToEnd();
                });
                Wire connection = echo.client()) {
            Http2Peer client = Http2Peer.connect(connection);
            client.headers(
                    1,
                    true,
                    ":method",
                    "POST",
                    ":scheme",
                    "http",
                    ":path",
                    "/x",
                    ":authority",
                    echo.authority(),
                    "content-type",
                    "application/grpc",
                    "authorization",
                    "Bearer " + PLACEHOLDER);
            Http2Message answer = client.message();

            assertThat(answer.body()).isEmpty();
            if (answer.reset() == null) {
                assertThat(Http2Peer.lines(answer.sections().getLast())).contains("grpc-status: 13");
            } else {
                assertThat(answer.reset()).isEqualTo(Http2Error.INTERNAL_ERROR);
            }
        }
    }
}

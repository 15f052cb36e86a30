package dev.sallyport.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.testing.Http2Wire;
import dev.sallyport.core.testing.TestProxy;
import dev.sallyport.core.testing.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions, section 14a: what the parser refuses has a record with whatever could be read of it. */
@Timeout(60)
class ParserRefusalTest {

    @TempDir
    Path folder;

    private static void says(JsonNode record, String method, String host, int port, String path) {
        JsonNode audit = record.get("audit");
        assertThat(record.get("error").asText()).isNotEmpty();
        assertThat(audit.get("action").asText()).isEqualTo("reject");
        assertThat(audit.get("method").asText()).isEqualTo(method);
        assertThat(audit.get("host").asText()).isEqualTo(host);
        assertThat(audit.get("port").asInt()).isEqualTo(port);
        assertThat(audit.get("path").asText()).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dot segments|GET /a/../b?c=d HTTP/1.1~Host: a.test~~|/a/../b?c=d",
                "dot segments in absolute form|GET http://a.test/a/%2e%2e/b HTTP/1.1~Host: x.test~~|/a/%2e%2e/b",
                "two framings|GET /x HTTP/1.1~Host: a.test~Content-Length: 3~Transfer-Encoding: chunked~~abc|/x",
                "two lengths|GET /x HTTP/1.1~Host: a.test~Content-Length: 3~Content-Length: 4~~abc|/x",
                "white space before a colon|GET /x HTTP/1.1~Host: a.test~X : y~~|/x",
                "white space before a colon, host behind it|GET /x HTTP/1.1~X : y~Host: a.test~~|/x",
                "a folded line|GET /x HTTP/1.1~Host: a.test~X: y~ z~~|/x",
                "a bare line feed|GET /x HTTP/1.1~Host: a.test~X: y^~|/x",
                "a version nobody knows|GET /x HTTP/7.1~Host: a.test~~|/x"
            })
    void overHttp1(String name, String request, String path) throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            client.send(request.replace("~", "\r\n").replace("^", "\n"));
            assertThat(client.readHead()).as(name).matches("(?s)HTTP/1.1 (400|505).*");

            says(proxy.record(), "GET", "a.test", 80, path);
        }
    }

    @Test
    void overHttp2() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            Http2Wire frames = Http2Wire.connect(client.in(), client.out());
            frames.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":authority", "a.test:81", ":path", "/a/../b?c");
            says(proxy.record(), "GET", "a.test", 81, "/a/../b?c");

            frames.headers(
                    3,
                    true,
                    ":method",
                    "GET",
                    ":scheme",
                    "http",
                    ":authority",
                    "a.test",
                    ":path",
                    "/x",
                    "connection",
                    "close");
            says(proxy.record(), "GET", "a.test", 80, "/x");
        }
    }
}

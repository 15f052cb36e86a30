package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for ranges of a content that is searched, and what origins promise of ranges (RFC 9110, 14). */
class RangesTest {

    private static final String PROMISE = "HTTP/1.1 200 OK\r\naccept-ranges: bytes\r\nContent-Length: 2\r\n\r\n";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"Range", "range", "Request-Range", "X-Range", "x-ms-range", "X-Goog-Range"})
    void areNotForwardedAndTheRecordSaysSo(String field) throws Exception {
        AtomicReference<String> seen = new AtomicReference<>("");
        try (Echo echo = new Echo(folder, REAL, origin -> {
            seen.set(origin.readHead());
            origin.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        })) {
            String answer = echo.ask("GET /x", field + ": bytes=1-", "If-Range: \"1\"");

            assertThat(seen.get()).contains("Bearer " + REAL).doesNotContainIgnoringCase("range");
            assertThat(answer)
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\r\nAccept-Ranges: none\r\n")
                    .endsWith("ok");
            echo.close();
            assertThat(echo.audited()).contains("\"dropped_range\":[\"" + field + "\"]");
        }
    }

    @Test
    void areNotPromised() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(PROMISE + "ok");
        })) {
            assertThat(echo.ask("GET /x"))
                    .contains("\r\nAccept-Ranges: none\r\n")
                    .doesNotContain("bytes")
                    .endsWith("ok");
            echo.close();
            assertThat(echo.audited()).doesNotContain("dropped_range");
        }
    }

    @Test
    void areNotPromisedInTheAnswerToHead() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(PROMISE);
        })) {
            assertThat(echo.ask("HEAD /x"))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\r\nAccept-Ranges: none\r\n", "\r\nContent-Length: 2\r\n")
                    .doesNotContain("bytes");
        }
    }

    @Test
    void ofWhichNobodySpokeAreNotMentioned() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        })) {
            assertThat(echo.ask("GET /x")).doesNotContainIgnoringCase("Accept-Ranges");
        }
    }

    @Test
    void passWhereNothingIsSearched() throws Exception {
        AtomicReference<String> seen = new AtomicReference<>("");
        try (Echo echo = new Echo(folder, REAL, origin -> {
            seen.set(origin.readHead());
            origin.send("HTTP/1.1 206 Partial Content\r\nAccept-Ranges: bytes\r\nContent-Range: bytes 1-2/3\r\n"
                    + "Content-Length: 2\r\n\r\nok");
        })) {
            String answer;
            try (var client = echo.client()) {
                answer = client.send("GET /x HTTP/1.1\r\nHost: " + echo.authority()
                                + "\r\nRange: bytes=1-\r\nConnection: close\r\n\r\n")
                        .readToEnd();
            }

            assertThat(seen.get()).contains("Range: bytes=1-");
            assertThat(answer).startsWith("HTTP/1.1 206 ").contains("\r\nAccept-Ranges: bytes\r\n");
            echo.close();
            assertThat(echo.audited()).doesNotContain("dropped_range");
        }
    }
}

package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Wire;
import dev.sallyport.toolkit.coding.Codings;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ways around redaction. */
class RedactionMisuseTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"compress", "x-unknown", "gzip, x-unknown", "aes128gcm"})
    void aBodyThatCannotBeReadDoesNotPass(String coding) throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\nContent-Length: " + REAL.length()
                    + "\r\n\r\n" + REAL);
        })) {
            String answer = echo.ask("GET /x");

            assertThat(answer).startsWith("HTTP/1.1 502 ").contains("unsupported_content_coding");
            assertThat(Leaks.of(answer, REAL)).isEmpty();
        }
    }

    @Test
    void aBodyThatLiesAboutItsCodingDoesNotPass() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: " + REAL.length() + "\r\n\r\n" + REAL);
        })) {
            String answer = echo.ask("GET /x");

            assertThat(answer).startsWith("HTTP/1.1 502 ");
            assertThat(Leaks.of(answer, REAL)).isEmpty();
        }
    }

    @Test
    void partsAreNotAskedFor() throws Exception {
        AtomicReference<String> seen = new AtomicReference<>("");
        try (Echo echo = new Echo(folder, REAL, origin -> {
            seen.set(origin.readHead() + "\r\n");
            origin.send("HTTP/1.1 200 OK\r\nContent-Length: " + REAL.length() + "\r\n\r\n" + REAL);
        })) {
            String answer = echo.ask("GET /x", "Range: bytes=0-5", "If-Range: \"1\"", "Accept-Encoding: dcb, gzip");

            assertThat(seen.get())
                    .contains("Bearer " + REAL, "Accept-Encoding: gzip\r\n")
                    .doesNotContain("Range");
            assertThat(answer).endsWith("\r\n\r\n" + PLACEHOLDER);
        }
    }

    @Test
    @Tag("long")
    void everyByteInASegmentOfItsOwn() throws Exception {
        for (String form : Forms.of(REAL)) {
            try (Echo echo = new Echo(folder, REAL, origin -> {
                        origin.readHead();
                        origin.trickle("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\na" + form + "z");
                    });
                    Wire client = echo.client()) {
                client.send(echo.request("GET /x"));
                // What had all come before it was known what to look for has a length.
                String answer = client.response().body();

                assertThat(Leaks.of(answer, REAL)).as(form).isEmpty();
                assertThat(Leaks.of(answer, PLACEHOLDER)).as(form).isNotEmpty();
            }
        }
    }

    @Test
    void everyByteInAChunkOfItsOwn() throws Exception {
        try (Echo echo = new Echo(folder, REAL, origin -> {
                    origin.readHead();
                    origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    for (byte b : ("a" + REAL + "z").getBytes(ISO_8859_1)) {
                        origin.chunk(String.valueOf((char) b));
                    }
                    origin.send("0\r\n\r\n");
                });
                Wire client = echo.client()) {
            client.send(echo.request("GET /x"));

            // What had all come before it was known what to look for has a length.
            assertThat(client.response().body()).isEqualTo("aPLACEHOLDERz");
        }
    }

    @Test
    void aBombDoesNotGoOffAndGivesNothingAway() throws Exception {
        byte[] bomb = EchoTest.encode(Codings.parse("gzip, gzip"), "\0".repeat(64 << 20) + REAL);
        try (Echo echo = new Echo(folder, REAL, origin -> {
            origin.readHead();
            origin.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: " + bomb.length + "\r\n\r\n");
            origin.send(bomb);
        })) {
            String answer = echo.ask("GET /x");

            assertThat(answer).doesNotContain(REAL);
            assertThat(answer).startsWith("HTTP/1.1 502 ");
            echo.close();
            assertThat(echo.audited()).contains("expan").doesNotContain("r34l");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "line\r\nbreaks\nin it\r\n",
                "\u00FCml\u00E4ut-\u00DF\u20AC-\uD83D\uDE00",
                "tab\tand\u0001control"
            })
    void valuesThatNoHeaderCanHoldAreTurnedBackInBodies(String real) throws Exception {
        String bytes = new String(real.getBytes(UTF_8), ISO_8859_1);
        try (Echo echo = new Echo(folder, real, origin -> {
                    String got = origin.request().body();
                    assertThat(got).isEqualTo(bytes);
                    String body = String.join("\n", Forms.of(got)) + "\n"
                            + Forms.json(real, false)
                                    .codePoints()
                                    .collect(
                                            StringBuilder::new,
                                            (out, c) -> out.append(
                                                    c < 0x80 ? Character.toString(c) : escaped(Character.toString(c))),
                                            StringBuilder::append);
                    origin.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + body.length()
                            + "\r\n\r\n" + body);
                });
                Wire client = echo.client()) {
            client.send("POST /x HTTP/1.1\r\nHost: " + echo.authority()
                    + "\r\nContent-Type: text/plain\r\nContent-Length: 11\r\nConnection: close\r\n\r\nPLACEHOLDER");
            String body = client.response().body();

            assertThat(Leaks.of(body, bytes)).isEmpty();
            assertThat(body).contains("PLACEHOLDER").endsWith("\nPLACEHOLDER");
        }
    }

    private static String escaped(String character) {
        StringBuilder out = new StringBuilder();
        character.chars().forEach(unit -> out.append(String.format("\\u%04x", unit)));
        return out.toString();
    }
}

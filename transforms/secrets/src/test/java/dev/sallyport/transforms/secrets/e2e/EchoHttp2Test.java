package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same as {@link EchoTest} where both sides speak HTTP/2. */
class EchoHttp2Test {

    /** Shorter than any form; more and shorter frames would count as a flood. */
    private static final int FRAME = 23;

    @TempDir
    Path folder;

    @Test
    void noFrameGivesItAway() throws Exception {
        try (Echo echo = new Echo(folder, REAL, EchoHttp2Test::echo);
                Wire connection = echo.client()) {
            Http2Peer client = Http2Peer.connect(connection);

            // when
            client.headers(
                    1,
                    false,
                    ":method",
                    "POST",
                    ":scheme",
                    "http",
                    ":path",
                    "/x",
                    ":authority",
                    echo.authority(),
                    "authorization",
                    "Bearer " + PLACEHOLDER,
                    "te",
                    "trailers");
            client.data(1, true, "a body with " + PLACEHOLDER);
            Http2Message heard = client.message();
            List<String> sections = sections(heard);

            // then
            assertThat(Leaks.of(sections + heard.body(), REAL)).isEmpty();
            assertThat(sections).hasSize(3);
            assertThat(sections.get(0)).contains(":status: 103", "link: </a?t=PLACEHOLDER>");
            assertThat(sections.get(1))
                    .contains(":status: 500")
                    .satisfies(head -> assertThat(head.lines().filter(line -> line.startsWith("x-form")))
                            .hasSameSizeAs(Forms.of(REAL))
                            .allSatisfy(line ->
                                    assertThat(Leaks.of(line, PLACEHOLDER)).isNotEmpty()));
            assertThat(sections.get(2)).contains("x-last: PLACEHOLDER");
            assertThat(heard.body().split("\n"))
                    .hasSize(Forms.of("body").size())
                    .allSatisfy(line -> assertThat(Leaks.of(line, PLACEHOLDER)).isNotEmpty());
            echo.close();
            assertThat(echo.audited()).contains("\"trailer:X-Last\"").doesNotContain("r34l");
        }
    }

    /** Sends back the body in every form, a few bytes a frame. */
    private static void echo(Wire connection) throws Exception {
        Http2Peer origin = Http2Peer.accept(connection);
        Http2Message request = origin.message();
        int stream = request.stream();
        String got = Wire.field(sections(request).getFirst(), "authorization").substring("Bearer ".length());
        origin.headers(stream, false, ":status", "103", "link", "</a?t=" + Forms.percent(got) + ">");
        List<String> head = new ArrayList<>(List.of(":status", "500"));
        for (String form : Forms.of(got)) {
            head.addAll(List.of("x-form", form));
        }
        origin.headers(stream, false, head.toArray(new String[0]));
        String content = String.join("\n", Forms.of(request.body()));
        for (int from = 0; from < content.length(); from += FRAME) {
            origin.data(stream, false, content.substring(from, Math.min(from + FRAME, content.length())));
        }
        origin.headers(stream, true, "x-last", got);
        // Closing with frames unread would take back what was sent.
        connection.readToEnd();
    }

    /** Each with a line feed behind every field. */
    private static List<String> sections(Http2Message message) {
        return message.sections().stream()
                .map(section -> String.join("\n", Http2Peer.lines(section)) + "\n")
                .toList();
    }
}

package dev.sallyport.transforms.secrets.e2e;

import static dev.sallyport.transforms.secrets.e2e.Echo.PLACEHOLDER;
import static dev.sallyport.transforms.secrets.e2e.Echo.REAL;
import static org.assertj.core.api.Assertions.assertThat;

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
                Peer connection = echo.client()) {
            Http2Peer client = Http2Peer.client(connection);

            // when
            client.fields(
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
            client.data(true, "a body with " + PLACEHOLDER);
            Http2Peer.Heard heard = client.hear();

            // then
            assertThat(Leaks.of(heard.toString(), REAL)).isEmpty();
            assertThat(heard.sections()).hasSize(3);
            assertThat(heard.sections().get(0)).contains(":status: 103", "link: </a?t=PLACEHOLDER>");
            assertThat(heard.sections().get(1))
                    .contains(":status: 500")
                    .satisfies(head -> assertThat(head.lines().filter(line -> line.startsWith("x-form")))
                            .hasSameSizeAs(Forms.of(REAL))
                            .allSatisfy(line ->
                                    assertThat(Leaks.of(line, PLACEHOLDER)).isNotEmpty()));
            assertThat(heard.sections().get(2)).contains("x-last: PLACEHOLDER");
            assertThat(heard.content().split("\n"))
                    .hasSize(Forms.of("body").size())
                    .allSatisfy(line -> assertThat(Leaks.of(line, PLACEHOLDER)).isNotEmpty());
            echo.close();
            assertThat(echo.audited()).contains("\"trailer:X-Last\"").doesNotContain("r34l");
        }
    }

    /** Sends back the body in every form, a few bytes a frame. */
    private static void echo(Peer connection) throws Exception {
        Http2Peer origin = Http2Peer.server(connection);
        Http2Peer.Heard request = origin.hear();
        String got = Peer.field(request.sections().getFirst(), "authorization").substring("Bearer ".length());
        origin.fields(false, ":status", "103", "link", "</a?t=" + Forms.percent(got) + ">");
        List<String> head = new ArrayList<>(List.of(":status", "500"));
        for (String form : Forms.of(got)) {
            head.addAll(List.of("x-form", form));
        }
        origin.fields(false, head.toArray(new String[0]));
        String content = String.join("\n", Forms.of(request.content()));
        for (int from = 0; from < content.length(); from += FRAME) {
            origin.data(false, content.substring(from, Math.min(from + FRAME, content.length())));
        }
        origin.fields(true, "x-last", got);
        // Closing with frames unread would take back what was sent.
        connection.readToEnd();
    }
}

package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.conformance.Gate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server may try to have a client see a tool that is not listed, and what it may say all the same. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HiddenToolTest {

    private Gate gate;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        gate = new Gate(folder, "", """
                mcp:
                  servers:
                    - {name: hiding, rules: [{host: localhost}], tools: [{name: echo}]}
                """);
    }

    @AfterAll
    void stop() {
        gate.close();
    }

    static Stream<Trick> tricks() {
        return Stream.of(
                        ListingTricks.BODIES, ListingTricks.TYPES, ListingTricks.STREAMS, ListingTricks.OTHER_EXCHANGES)
                .flatMap(List::stream);
    }

    static Stream<Trick> harmless() {
        return HarmlessAnswers.ALL.stream();
    }

    private @Nullable Seen ask(Trick trick) throws IOException {
        try (RawServer server = new RawServer(request -> trick.answer());
                RawClient client = new RawClient(gate.httpPort())) {
            client.send(Wire.bytes(trick.method() + " /mcp HTTP/1.1\r\nHost: " + server.authority()
                    + "\r\nAccept: application/json, text/event-stream\r\n"
                    + (trick.ask().isEmpty()
                            ? ""
                            : "Content-Type: application/json\r\nContent-Length: "
                                    + trick.ask().length() + "\r\n")
                    + "\r\n" + trick.ask()));
            return client.answer();
        }
    }

    @ParameterizedTest
    @MethodSource("tricks")
    void theClientNeverSeesTheTool(Trick trick) throws Exception {
        Seen answer = ask(trick);
        if (answer != null) {
            assertThat(LenientReader.texts(answer))
                    .allSatisfy(text -> assertThat(text).doesNotContain("wipe").doesNotContain("w\\u0069pe"));
        }
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void whatListsNothingForbiddenPassesByteForByte(Trick trick) throws Exception {
        Seen answer = ask(trick);
        assertThat(answer).isNotNull();
        Seen sent = Wire.read(new ByteArrayInputStream(trick.answer()), true);
        assertThat(sent).isNotNull();
        assertThat(answer.target()).as("status").isEqualTo(sent.target());
        assertThat(answer.body()).isEqualTo(sent.body());
    }
}

package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.conformance.Gate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a workload may try to have a forbidden tool run by a server that obeys any reading of a message, and what it may
 * say all the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BypassTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int AT_LEAST = 120;

    /** They are refused for what they are. */
    private static final Set<String> NOBODY_OBEYS =
            Set.of("empty batch", "batch of members", "both lengths", "WebSocket");

    private static final String TOOLS = """
            tools:
              - {name: echo}
              - {name: größe}
              - name: send
                when:
                  - {path: to, equals: friend@example.com}
                  - {path: amount, in: [1, 2.50]}
            """;

    private SloppyServer server;
    private Gate everyPath;
    private Gate onePath;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        server = new SloppyServer();
        everyPath = gate(folder.resolve("every"), "", "[{host: localhost}]");
        onePath = gate(folder.resolve("one"), """
                transforms:
                  - {name: allowlist, config: {rules: [{host: localhost, paths: [/mcp]}]}}
                """, "[{host: localhost, paths: [/mcp]}]");
    }

    private static Gate gate(Path folder, String sections, String rules) throws Exception {
        return new Gate(
                Files.createDirectory(folder),
                "",
                sections + "mcp:\n  servers:\n    - name: sloppy\n      rules: " + rules + "\n" + TOOLS.indent(6));
    }

    @AfterAll
    void stop() {
        everyPath.close();
        onePath.close();
        server.close();
    }

    static Stream<Attempt> messages() {
        return Stream.of(
                        EnvelopeAttempts.MEMBERS,
                        EnvelopeAttempts.METHODS,
                        EnvelopeAttempts.NAMES,
                        EnvelopeAttempts.ARGUMENTS,
                        EnvelopeAttempts.BATCHES,
                        CodingAttempts.SYNTAX,
                        CodingAttempts.CHARSETS,
                        CodingAttempts.CODINGS,
                        CodingAttempts.TYPES,
                        TransportAttempts.METHODS,
                        TransportAttempts.FRAMING,
                        TransportAttempts.STANDARD_HEADERS)
                .flatMap(List::stream);
    }

    static Stream<Attempt> targets() {
        return TransportAttempts.TARGETS.stream();
    }

    static Stream<Attempt> forms() {
        return ControlGroup.FORMS.stream();
    }

    static Stream<Attempt> withinTheRules() {
        return ControlGroup.ALL.stream();
    }

    @Test
    void thereAreEnoughAttemptsAndNoneTwice() {
        List<Attempt> all = Stream.concat(messages(), targets()).toList();
        assertThat(all).hasSizeGreaterThan(AT_LEAST);
        assertThat(all).extracting(Attempt::name).doesNotHaveDuplicates();
        System.out.println(
                "bypass: " + all.size() + " attempts, " + ControlGroup.ALL.size() + " messages within the rules");
    }

    /** An attempt that nobody would obey shows nothing. */
    @ParameterizedTest
    @MethodSource("messages")
    void theServerWouldObey(Attempt attempt) throws Exception {
        if (NOBODY_OBEYS.contains(attempt.name())) {
            return;
        }
        List<Seen> requests = requests(attempt.bytes(server.authority()));
        AtomicBoolean obeyed = new AtomicBoolean();
        Thread reader = new Thread(
                null,
                () -> obeyed.set(requests.stream().anyMatch(LenientReader::forbidden)),
                "reader",
                RawServer.STACK);
        reader.start();
        reader.join();
        assertThat(obeyed).isTrue();
    }

    private static List<Seen> requests(byte[] bytes) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        List<Seen> requests = new ArrayList<>();
        for (@Nullable Seen next = Wire.read(in, false); next != null; next = Wire.read(in, false)) {
            requests.add(next);
        }
        return requests;
    }

    @ParameterizedTest
    @MethodSource("messages")
    void nothingForbiddenIsObeyed(Attempt attempt) throws Exception {
        refused(attempt, everyPath);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void noSpellingOfThePathHelps(Attempt attempt) throws Exception {
        refused(attempt, onePath);
    }

    /** A coded body may be coded anew. */
    private static byte[] decoded(Seen request) {
        return LenientReader.bodies(request).getLast();
    }

    private static byte[] decoded(Attempt message) throws IOException {
        return decoded(requests(message.bytes("")).getFirst());
    }

    @Test
    void whatBreaksOffIsNotObeyed() throws Exception {
        server.forget();
        try (RawClient client = new RawClient(everyPath.httpPort())) {
            client.send(TransportAttempts.cut().bytes(server.authority()));
            client.finish();
            refused(client.answer());
        }
    }

    private void refused(Attempt attempt, Gate gate) throws Exception {
        server.forget();
        String port = server.authority().substring("localhost:".length());
        byte[] bytes = attempt.bytes(server.authority(), port);
        @Nullable Seen last = null;
        try (RawClient client = new RawClient(gate.httpPort())) {
            client.send(bytes);
            for (Seen ignored : requests(bytes)) {
                @Nullable Seen answer = client.answer();
                last = answer == null ? last : answer;
                if (answer == null) {
                    break;
                }
            }
        }

        assertThat(server.executed()).as("obeyed").isEmpty();
        switch (attempt.expected()) {
            case DENIED -> denied(last);
            case UNREADABLE -> unreadable(last);
            case DROPPED -> {
                assertThat(last).isNotNull();
                assertThat(last.line()).contains(" 202 ");
                assertThat(server.seen()).isEmpty();
            }
            case REFUSED -> refused(last);
            case PASSES -> throw new AssertionError(attempt + " is no attempt");
        }
    }

    /** However it is done, nothing has passed. */
    private void refused(@Nullable Seen answer) throws Exception {
        assertThat(server.seen()).as("passed").isEmpty();
        if (answer != null && answer.line().contains(" 200 ")) {
            denied(answer);
        }
    }

    private static void denied(@Nullable Seen answer) throws Exception {
        assertThat(answer).isNotNull();
        assertThat(answer.line()).as("%s", text(answer)).contains(" 200 ");
        JsonNode said = JSON.readTree(answer.body());
        JsonNode error = said.isArray() ? said.get(0) : said;
        assertThat(error.at("/error/code").asInt()).as("%s", said).isEqualTo(-32001);
        assertThat(error.get("id").asText()).isIn("7", "123456789012345678901234567890");
    }

    private static void unreadable(@Nullable Seen answer) throws Exception {
        assertThat(answer).isNotNull();
        assertThat(answer.line()).as("%s", text(answer)).contains(" 400 ");
        JsonNode said = JSON.readTree(answer.body());
        assertThat(said.get("jsonrpc").asText()).isEqualTo("2.0");
        assertThat(said.get("id").asText()).isIn("null", "7", "123456789012345678901234567890");
        assertThat(said.at("/error/code").isInt()).isTrue();
    }

    private static String text(Seen answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("withinTheRules")
    void whatIsWithinTheRulesPassesByteForByte(Attempt message) throws Exception {
        server.forget();
        try (RawClient client = new RawClient(everyPath.httpPort())) {
            client.send(message.bytes(server.authority()));
            @Nullable Seen answer = client.answer();
            assertThat(answer).isNotNull();
            assertThat(answer.line()).as("%s", text(answer)).contains(" 200 ");
        }
        assertThat(server.executed()).isEmpty();
        assertThat(server.seen()).hasSize(1);
        assertThat(decoded(server.seen().getFirst())).isEqualTo(decoded(message));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void whatIsNoJsonPassesAndIsNoted(Attempt form) throws Exception {
        server.forget();
        try (RawClient client = new RawClient(everyPath.httpPort())) {
            client.send(
                    form.request("POST /mcp/" + form.name().replace(' ', '-')).bytes(server.authority()));
            assertThat(client.answer()).isNotNull();
        }
        assertThat(server.seen()).hasSize(1);
        String path = form.name().replace(' ', '-');
        JsonNode record = everyPath.record();
        while (!record.at("/audit/path").asText().endsWith(path)) {
            record = everyPath.record();
        }
        assertThat(record.toString()).contains("not_json_rpc");
    }
}

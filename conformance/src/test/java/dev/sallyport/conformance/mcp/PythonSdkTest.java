package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.Programs;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The official Python SDK on both sides, in the revision 2026-07-28 ({@code auto}) and in those with sessions
 * ({@code legacy}). {@code TEST_PYTHON} names an interpreter that has it.
 */
class PythonSdkTest {

    private static final String PYTHON = System.getenv().getOrDefault("TEST_PYTHON", "python3");
    private static final String REFUSED = "wipe failed -32001 blocked by the service policy";

    @TempDir
    Path folder;

    private Path script(String name) throws Exception {
        assumeTrue(
                Programs.work(PYTHON, "-c", "from mcp import Client; import uvicorn"),
                "no Python with the SDK (pip install mcp)");
        Path script = folder.resolve(name);
        try (InputStream in = PythonSdkTest.class.getResourceAsStream("/mcp/python/" + name)) {
            Files.write(script, Objects.requireNonNull(in, name).readAllBytes());
        }
        return script;
    }

    private Gate gate(String name, String tools) throws Exception {
        return new Gate(
                Files.createDirectory(folder.resolve(name)),
                "",
                "mcp: {servers: [{name: python, rules: [{host: localhost}], tools: [" + tools + "]}]}");
    }

    private List<String> transcript(@Nullable Gate gate, String url, String mode, String... tools) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(PYTHON, script("client.py").toString(), url, mode));
        command.addAll(List.of(tools));
        Node.Ended ended = Node.run(folder, command, gate == null ? Map.of() : Node.proxy(gate));
        assertThat(ended.code()).as(ended.printed()).isZero();
        return ended.printed().lines().toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "legacy"})
    void nothingIsNoticedOfWhatIsAllowedAndWhatIsDeniedEndsInTheProtocolsError(String mode) throws Exception {
        String[] calls = {"echo", "größe", "slow", "nope", "wipe"};
        try (Node.Server server = Node.Server.start(
                        folder, List.of(PYTHON, script("server.py").toString()));
                Gate all = gate("all", "{name: echo}, {name: größe}, {name: slow}, {name: nope}, {name: wipe}");
                Gate some = gate("some", "{name: echo}, {name: größe}, {name: slow}, {name: nope}")) {
            List<String> direct = transcript(null, server.url("/mcp"), mode, calls);
            assertThat(direct.getFirst()).contains(mode.equals("auto") ? "2026-07-28" : "2025-11-25");
            assertThat(transcript(all, server.url("/mcp"), mode, calls)).isEqualTo(direct);
            assertThat(transcript(some, server.url("/mcp"), mode, calls))
                    .isEqualTo(direct.stream()
                            .map(line -> line.startsWith("wipe ") ? REFUSED : line.replace(", 'wipe'", ""))
                            .toList());
        }
    }

    /** The client of the transport with events gives its stream up when a POST is refused. */
    @Test
    void theTransportWithEventsPasses() throws Exception {
        Node node = Node.ready();
        try (Node.Server server = node.server();
                Gate gate = new Gate(folder, "", EverythingTools.allow(EverythingTools.ALL))) {
            assertThat(transcript(gate, server.url("/sse"), "events", "test_simple_text", "wipe"))
                    .isEqualTo(transcript(null, server.url("/sse"), "events", "test_simple_text", "wipe"));
        }
    }
}

package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.conformance.Gate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The official TypeScript SDK on both sides. */
class TypeScriptSdkTest {

    private static final List<String> CALLS = List.of(
            "test_simple_text",
            "test_sampling",
            "test_elicitation",
            "test_tool_with_progress",
            "test_tool_with_logging",
            "test_error_handling",
            "wipe");

    @TempDir
    Path folder;

    private Node node;
    private Node.Server server;
    private Gate all;
    private Gate some;

    @BeforeEach
    void start() throws Exception {
        node = Node.ready();
        server = node.server();
        all = new Gate(Files.createDirectory(folder.resolve("all")), "", EverythingTools.allow(EverythingTools.ALL));
        some = new Gate(
                Files.createDirectory(folder.resolve("some")),
                "",
                EverythingTools.allBut(Set.of("wipe", "test_sampling")));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
            all.close();
            some.close();
        }
    }

    private List<String> transcript(@Nullable Gate gate, String kind, String path) throws Exception {
        List<String> command = new ArrayList<>(List.of("client.mjs", kind, server.url(path)));
        command.addAll(CALLS);
        Node.Ended ended = node.run(gate, command.toArray(String[]::new));
        assertThat(ended.code()).as(ended.printed()).isZero();
        return ended.printed().lines().toList();
    }

    @ParameterizedTest
    @CsvSource({"streamable, /mcp", "legacy, /sse"})
    void nothingIsNoticedWhereAllIsAllowed(String kind, String path) throws Exception {
        assertThat(transcript(all, kind, path)).isEqualTo(transcript(null, kind, path));
        assertThat(all.record().at("/audit/host").asText()).isEqualTo("localhost");
    }

    @ParameterizedTest
    @CsvSource({"streamable, /mcp", "legacy, /sse"})
    void whatIsDeniedEndsInTheProtocolsError(String kind, String path) throws Exception {
        List<String> lines = transcript(some, kind, path);

        List<String> direct = new ArrayList<>(transcript(null, kind, path));
        direct.replaceAll(line -> line.startsWith("tools: ")
                ? line.replace(",\"test_sampling\"", "").replace(",\"wipe\"", "")
                : line);
        assertThat(lines).hasSameSizeAs(direct);
        for (int i = 0; i < lines.size(); i++) {
            if (direct.get(i).startsWith("wipe: ") || direct.get(i).startsWith("test_sampling: ")) {
                assertThat(lines.get(i))
                        .contains(" failed: ")
                        .contains("-32001")
                        .contains("blocked by the service policy");
            } else {
                assertThat(lines.get(i)).isEqualTo(direct.get(i));
            }
        }
    }
}

package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.conformance.Gate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The protocol's own conformance suite against a server of the official SDK: directly, and through policies. */
class PublicSuiteTest {

    private static final int AT_LEAST = 30;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What is denied, and the scenarios that call it. */
    private static final Map<String, String> DENIED = Map.of(
            "test_image_content", "tools-call-image",
            "test_sampling", "tools-call-sampling",
            "test_tool_with_progress", "tools-call-with-progress",
            "test_elicitation_sep1330_enums", "elicitation-sep1330-enums");

    @TempDir
    Path folder;

    @Test
    @Tag("long")
    void onlyWhatIsDeniedFails() throws Exception {
        Node node = Node.ready();
        try (Node.Server server = node.server();
                Gate all = new Gate(
                        Files.createDirectory(folder.resolve("all")), "", EverythingTools.allow(EverythingTools.ALL));
                Gate some = new Gate(
                        Files.createDirectory(folder.resolve("some")), "", EverythingTools.allBut(DENIED.keySet()))) {
            Map<String, List<String>> direct = suite(node, server, null, "direct");
            assertThat(direct).hasSizeGreaterThanOrEqualTo(AT_LEAST);
            assertThat(direct.values())
                    .allSatisfy(checks -> assertThat(checks).noneMatch(check -> check.contains("FAILURE")));

            Map<String, List<String>> allowed = suite(node, server, all, "allowed");
            assertThat(allowed).isEqualTo(direct);

            Map<String, List<String>> restricted = suite(node, server, some, "restricted");
            Set<String> different = new TreeSet<>(direct.keySet());
            different.removeIf(scenario -> direct.get(scenario).equals(restricted.get(scenario)));
            assertThat(different).isEqualTo(new TreeSet<>(DENIED.values()));
            assertThat(different)
                    .allSatisfy(scenario ->
                            assertThat(restricted.get(scenario)).anyMatch(check -> check.contains("FAILURE")));
            System.out.println("public suite: " + direct.size() + " scenarios, "
                    + direct.values().stream().mapToInt(List::size).sum() + " checks");
        }
    }

    /** The checks of each scenario and how they ended. */
    private Map<String, List<String>> suite(Node node, Node.Server server, @Nullable Gate gate, String name)
            throws Exception {
        Path results = folder.resolve(name + "-results");
        Node.Ended ended = node.run(
                gate,
                "node_modules/@modelcontextprotocol/conformance/dist/index.js",
                "server",
                "--suite",
                "all",
                "--url",
                server.url("/mcp"),
                "--output-dir",
                results.toString());
        assertThat(results).as(ended.printed()).isDirectory();
        Map<String, List<String>> scenarios = new TreeMap<>();
        try (Stream<Path> folders = Files.list(results)) {
            for (Path scenario : folders.toList()) {
                scenarios.put(
                        scenario.getFileName().toString().replaceAll("^server-|-[0-9]{4}-[0-9]{2}-[0-9]{2}T.*$", ""),
                        checks(scenario.resolve("checks.json")));
            }
        }
        return scenarios;
    }

    private static List<String> checks(Path file) throws IOException {
        List<String> checks = new ArrayList<>();
        for (JsonNode check : JSON.readTree(file.toFile())) {
            checks.add(check.get("id").asText() + " " + check.get("status").asText());
        }
        return checks;
    }
}

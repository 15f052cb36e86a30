package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.Programs;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which spellings of a path run a tool on servers of the official SDKs, at a route and mounted below a path, and that a
 * rule for the path denies each of them. {@code TEST_PYTHON} names an interpreter that has the SDK.
 */
@Tag("long")
class SdkPathsTest {

    private static final String PYTHON = System.getenv().getOrDefault("TEST_PYTHON", "python3");
    private static final String WIPE =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\",\"arguments\":{}}}";

    private static final List<String> PATHS = List.of(
            "/mcp",
            "/MCP",
            "/Mcp/x",
            "//mcp",
            "/./mcp",
            "/x/../mcp",
            "/%6dcp",
            "/m%63p/",
            "/mcp/",
            "/mcp//",
            "/mcp/x",
            "/mcp/x/y",
            "/mcp/x.json",
            "/mcp%0a",
            "/mcp%0d%0a",
            "/mcp%0ax",
            "/mcp/%0a",
            "/mcp%20",
            "/mcp%09",
            "/mcp.json",
            "/mcp.",
            "/mcp~",
            "/mcp;a=b",
            "/mcp%23",
            "/mcp%3f",
            "/mcp%2f",
            "/mcp%2fx",
            "/mcp%e2%80%8b");

    @TempDir
    Path folder;

    private interface Start {
        Node.Server server() throws Exception;
    }

    @Test
    void aRouteOfStarletteMatchesBeforeAFinalLineFeed() throws Exception {
        assertThat(reaching(python("routed"))).contains("/mcp", "/mcp%0a");
    }

    @Test
    void aMountOfStarletteMatchesAllThatIsBelow() throws Exception {
        assertThat(reaching(python("mounted"))).contains("/mcp/", "/mcp/x", "/mcp/x/y", "/mcp/%0a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"routed", "router"})
    void aRouteOfExpressMatchesWithASlashToo(String kind) throws Exception {
        assertThat(reaching(typeScript(kind))).contains("/mcp", "/mcp/");
    }

    @Test
    void aMountOfExpressMatchesAllThatIsBelow() throws Exception {
        assertThat(reaching(typeScript("mounted"))).contains("/mcp", "/mcp/", "/mcp/x", "/mcp/x/y");
    }

    private Start python(String kind) throws Exception {
        assumeTrue(
                Programs.work(PYTHON, "-c", "from mcp.server.mcpserver import MCPServer; import uvicorn"),
                "no Python with the SDK (pip install mcp uvicorn)");
        Path script = folder.resolve("mounts.py");
        try (InputStream in = SdkPathsTest.class.getResourceAsStream("/mcp/python/mounts.py")) {
            Files.write(script, Objects.requireNonNull(in, "mounts.py").readAllBytes());
        }
        return () -> Node.Server.start(folder, List.of(PYTHON, script.toString(), kind));
    }

    private static Start typeScript(String kind) throws Exception {
        Node node = Node.ready();
        return () -> node.server("mounts.mjs", kind);
    }

    /** The spellings that run the tool without a gate; a gate that takes its rule as it stands lets them through. */
    private List<String> reaching(Start start) throws Exception {
        List<String> reaching = new ArrayList<>();
        List<String> passing = new ArrayList<>();
        List<String> denied = new ArrayList<>();
        try (Node.Server server = start.server();
                Gate exact = gate("exact", ", exact: true");
                Gate loose = gate("loose", "")) {
            String authority = server.url("").substring("http://".length());
            int port = Integer.parseInt(authority.substring(authority.indexOf(':') + 1));
            for (String path : PATHS) {
                if (runs(port, authority, path)) {
                    reaching.add(path);
                    if (runs(exact.httpPort(), authority, path)) {
                        passing.add(path);
                    }
                    if (isDenied(loose.httpPort(), authority, path)) {
                        denied.add(path);
                    }
                } else {
                    assertThat(runs(loose.httpPort(), authority, path)).as(path).isFalse();
                }
            }
        }
        System.out.println("run by " + reaching + ", denied " + denied.size());
        assertThat(denied).isEqualTo(reaching);
        assertThat(passing).isNotEmpty().doesNotContain("/mcp");
        return reaching;
    }

    private Gate gate(String name, String more) throws Exception {
        return new Gate(
                Files.createDirectory(folder.resolve(name)),
                "",
                "mcp: {servers: [{name: python, rules: [{host: localhost, paths: [/mcp]" + more + "}], tools: []}]}");
    }

    private static boolean runs(int port, String authority, String path) throws Exception {
        return said(port, authority, path).contains("wiped");
    }

    private static boolean isDenied(int port, String authority, String path) throws Exception {
        return said(port, authority, path).startsWith("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32001");
    }

    private static String said(int port, String authority, String path) throws Exception {
        try (RawClient client = new RawClient(port)) {
            client.send(Attempt.post(path, WIPE, Attempt.Refusal.DENIED)
                    .request("POST " + path)
                    .line("Connection: close")
                    .bytes(authority));
            @Nullable Seen answer = client.answer();
            return answer == null ? "" : new String(answer.body(), StandardCharsets.UTF_8);
        }
    }
}

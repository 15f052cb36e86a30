package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.PathSpellings;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.WholeProxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules with paths are not passed by another spelling of a path, before an origin that does not mind spelling. */
class SpellingTest {

    @TempDir
    Path folder;

    static List<String> spellings() {
        return PathSpellings.of("/mcp");
    }

    private final TestUpstream origin = TestUpstream.http(request -> {
        String route = request.target()
                .toLowerCase(Locale.ROOT)
                .replace("%6d", "m")
                .replace("%4d", "m")
                .replaceAll("(;|%3b)[^/]*", "")
                .replaceAll("/+", "/")
                .replaceAll("/$", "");
        return route.startsWith("/mcp")
                ? TestResponse.ok("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}")
                : TestResponse.status(404);
    });

    private HttpResponse<String> call(String path, String tool) throws Exception {
        String rule = "{host: localhost, paths: [/mcp]}";
        try (WholeProxy proxy = WholeProxy.start(
                        folder,
                        "[]\nmcp: {servers: [{name: s, rules: [" + rule + "], tools: [{name: search}]}]}",
                        null,
                        new McpFactory());
                HttpClient client = proxy.client(HttpClient.Version.HTTP_1_1)) {
            return client.send(
                    HttpRequest.newBuilder(URI.create(origin.url() + path))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(Client.call("1", tool, "{}")))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } finally {
            origin.close();
        }
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void aToolThatIsNotListedIsDenied(String path) throws Exception {
        assertThat(call(path, "delete").body()).contains("\"error\"").doesNotContain("\"result\"");
        assertThat(origin.requests()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void aToolThatIsListedIsCalled(String path) throws Exception {
        assertThat(call(path, "search").body()).contains("\"result\"");
    }

    /** An origin may decode it or not: it is below the path in either case. */
    @Test
    void anEncodedSlashHidesNothing() throws Exception {
        assertThat(call("/mcp%2F", "delete").body()).contains("\"error\"").doesNotContain("\"result\"");
        assertThat(origin.requests()).isEmpty();
    }

    @Test
    void otherPathsAreNotJudged() throws Exception {
        assertThat(call("/tools", "delete").statusCode()).isEqualTo(404);
        assertThat(origin.requests()).hasSize(1);
    }
}

package dev.sallyport.transforms.headerallowlist;

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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules with paths are not passed by another spelling of a path. */
class SpellingTest {

    @TempDir
    Path folder;

    static List<String> spellings() {
        return PathSpellings.of("/mcp");
    }

    private static String list(TestUpstream origin, HttpClient client, String path) throws Exception {
        client.send(
                HttpRequest.newBuilder(URI.create(origin.url() + path))
                        .header("X-Other", "1")
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        return origin.requests().getLast().header("X-Other");
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void whatIsNotListedIsStripped(String path) throws Exception {
        String rules = "[{host: localhost, paths: [/mcp]}]";
        try (TestUpstream origin = TestUpstream.http(request -> TestResponse.ok("fine"));
                WholeProxy proxy = WholeProxy.start(
                        folder,
                        "[{name: header_allowlist, config: {headers: [Accept], rules: " + rules + "}}]",
                        null,
                        new HeaderAllowlistFactory());
                HttpClient client = proxy.client(HttpClient.Version.HTTP_1_1)) {
            assertThat(list(origin, client, path)).isEmpty();
            assertThat(list(origin, client, "/tools")).isEqualTo("1");
        }
    }
}

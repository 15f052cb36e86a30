package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.WholeProxy;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Paths that are not clean URIs (docs/spec/decisions.md, section 20): they pass byte for byte where no rule could read them in
 * two ways. Octets over 0x7F are written as their code points.
 */
@Timeout(60)
class UncleanPathsTest {

    private static final String[] PATHS = {
        "/a%zz",
        "/100%",
        "/a%2",
        "/caf%E9",
        "/%c0%ae%c0%ae/b",
        "/src%5Cmain.rs",
        "/src\\main.rs",
        "/a/../b",
        "/a/./b",
        "/a/%2e%2E/b",
        "/a/..;x=1/b",
        "/.",
        "/a%u002fb",
        "/a\"<>^`{|}b",
    };

    @TempDir
    Path folder;

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final TestOrigin origin = TestOrigin.of(peer -> {
        while (true) {
            String line = peer.readHead().lines().findFirst().orElseThrow();
            if (line.startsWith("GET ")) { // and not the preface of HTTP/2, with which it is tried first
                seen.add(line);
            }
            peer.send(TestOrigin.ok("here"));
        }
    });

    static String[] paths() {
        return PATHS;
    }

    @AfterEach
    void end() throws IOException {
        origin.close();
    }

    private WholeProxy proxy(String rule) throws Exception {
        return WholeProxy.start(
                folder, "[{name: allowlist, config: {rules: [" + rule + "]}}]", null, new AllowlistFactory());
    }

    private Wire.Message get(WholeProxy proxy, String path) throws IOException {
        try (Wire client = new Wire(proxy.connect())) {
            client.send(head("GET " + path + " HTTP/1.1", "Host: " + origin.authority()));
            return client.message();
        }
    }

    @ParameterizedTest
    @MethodSource("paths")
    void passByteForByteWhereNoRuleNamesPaths(String path) throws Exception {
        try (WholeProxy proxy = proxy("{host: '*'}")) {
            assertThat(get(proxy, path).body()).isEqualTo("here");
            assertThat(seen).containsExactly("GET " + path + " HTTP/1.1");
        }
    }

    @ParameterizedTest
    @MethodSource("paths")
    void passOverHttp2Too(String path) throws Exception {
        try (WholeProxy proxy = proxy("{host: '*'}");
                Wire client = new Wire(proxy.connect())) {
            Http2Peer frames = Http2Peer.connect(client);
            frames.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":authority", origin.authority(), ":path", path);
            assertThat(frames.fields(frames.next(Http2Peer.HEADERS))).contains(":status: 200");
            assertThat(seen).containsExactly("GET " + path + " HTTP/1.1");
        }
    }

    @ParameterizedTest
    @CsvSource({"/caf\u00c3\u00a9, /caf%C3%A9", "/\u00e9%C3%A9?q=\u00ff, /%E9%C3%A9?q=%FF"})
    void octetsOverAsciiAreEncoded(String sent, String forwarded) throws Exception {
        try (WholeProxy proxy = proxy("{host: '*'}");
                Wire client = new Wire(proxy.connect())) {
            assertThat(get(proxy, sent).body()).isEqualTo("here");
            Http2Peer frames = Http2Peer.connect(client);
            frames.headers(
                    1, true, ":method", "GET", ":scheme", "http", ":authority", origin.authority(), ":path", sent);
            assertThat(frames.fields(frames.next(Http2Peer.HEADERS))).contains(":status: 200");
            assertThat(seen).containsExactly("GET " + forwarded + " HTTP/1.1", "GET " + forwarded + " HTTP/1.1");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/open/../shut, /open/*",
        "/open/..;x/shut, /open/*",
        "/open/..%2fshut, /open/*",
        "/shut/../open, /open",
        "/open\\..\\shut, /open*",
        "/open%5c..%5cshut, /open*",
        "/open%5cx, /open/*",
        "/open//../shut, /open/*",
        "/open%c0%afx, /open/*",
        "/%c0%ae%c0%ae/open, /open",
        "/open%u002fx, /open/*",
        "/%u006fpen, /open",
        "/caf%E9, /caf\u00e9",
    })
    void areRefusedWhereARuleCouldReadThemInTwoWays(String path, String pattern) throws Exception {
        try (WholeProxy proxy = proxy("{host: '*', paths: ['/other']}, {host: '*', paths: ['" + pattern + "']}")) {
            Wire.Message refused = get(proxy, path);

            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.body())
                    .contains("ambiguous_path", "they differ for /transforms/0/config/rules/1 (allowlist)");
            assertThat(seen).isEmpty();
        }
    }

    /** The rules of an allowlist come behind its domains and ranges; the file has them in a list of their own. */
    @Test
    void theRuleIsNamedAsTheFileHasIt() throws Exception {
        try (WholeProxy proxy = proxy("{host: '*', paths: ['/other']}, {host: '*', paths: ['/open/*']}],"
                + " domains: [a.test, b.test], cidrs: [192.0.2.0/24")) {
            assertThat(get(proxy, "/open//../shut").body())
                    .contains("ambiguous_path", "they differ for /transforms/0/config/rules/1 (allowlist)");
        }
    }

    /** To look at all of them would take the loop that others wait for. */
    @Test
    void areRefusedWithTooManyReadingsWhereARuleNamesPaths() throws Exception {
        String path = "/a;b//.%u0041%c0%af%zz/..;x" + "/../c".repeat(100);
        try (WholeProxy proxy = proxy("{host: '*'}, {host: '*', paths: ['/other']}")) {
            assertThat(get(proxy, path).body()).contains("ambiguous_path", "/transforms/0/config/rules/1 (allowlist)");
            assertThat(seen).isEmpty();
        }
        try (WholeProxy proxy = proxy("{host: '*'}")) {
            assertThat(get(proxy, path).body()).isEqualTo("here");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/100%, /100*, 200",
        "/a%zz/b, /a%zz/*, 200",
        "/a/../b, /*, 200",
        "/src%5Cmain.rs, /*, 200",
        "/caf\u00c3\u00a9, /caf\u00e9, 200",
        "/a%zz, /other, 403",
        "/src\\main.rs, /other/*, 403",
        "/a/../b, /other, 403",
    })
    void getTheVerdictThatEveryReadingGets(String path, String pattern, int status) throws Exception {
        try (WholeProxy proxy = proxy("{host: '*', paths: ['" + pattern + "']}")) {
            assertThat(get(proxy, path).status()).isEqualTo(status);
        }
    }
}

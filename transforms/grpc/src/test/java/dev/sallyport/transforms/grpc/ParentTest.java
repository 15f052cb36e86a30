package dev.sallyport.transforms.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testsupport.TestParent;
import dev.sallyport.testsupport.TestParent.Manner;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server behind a parent proxy: docs/spec/decisions.md, section 17. */
class ParentTest {

    @TempDir
    Path folder;

    private static String through(TestParent parent, String scheme, String resolve) {
        return ", upstream_proxy: {http_proxy: \"" + parent.url(scheme) + "\", no_proxy: example.com"
                + (resolve == null ? "" : ", resolve: " + resolve) + "}";
    }

    @ParameterizedTest
    @CsvSource({
        "http,    local,  CONNECT 127.0.0.1:",
        "http,    remote, CONNECT localhost:",
        "socks5,  ,       SOCKS 127.0.0.1:",
        "socks5h, ,       SOCKS localhost:"
    })
    void theServerIsReachedThroughIt(String scheme, String resolve, String asked) throws Exception {
        try (PolicyServer server = PolicyServer.start();
                TestParent parent = scheme.equals("http") ? TestParent.http() : TestParent.socks();
                Gate gate = Gate.limited(
                        folder,
                        through(parent.demanding("ann", "s3cret"), scheme, resolve),
                        request -> TestResponse.ok("from the origin"),
                        Gate.ask("house", server.target().replace("127.0.0.1", "localhost"), ""))) {
            for (int i = 0; i < 3; i++) {
                assertThat(gate.get("/" + i).statusCode()).isEqualTo(200);
            }
            assertThat(server.requests()).hasSize(3);
            assertThat(server.connections()).isEqualTo(1);
            int port =
                    Integer.parseInt(server.target().substring(server.target().lastIndexOf(':') + 1));
            assertThat(parent.asked()).containsExactly(asked + port);
        }
    }

    @Test
    void itsFailureIsNeverMadeGoodByADirectDial() throws Exception {
        try (PolicyServer server = PolicyServer.start();
                TestParent parent = TestParent.http().behaving(Manner.REFUSING);
                Gate gate = Gate.limited(
                        folder,
                        through(parent, "http", null),
                        request -> TestResponse.ok("from the origin"),
                        Gate.ask(server, ""))) {
            assertThat(gate.get("/").statusCode()).isEqualTo(503);
            assertThat(parent.asked()).contains("CONNECT " + server.target());
            assertThat(server.connections()).isZero();

            parent.behaving(Manner.PROPER);
            Awaitility.await().until(() -> gate.get("/").statusCode() == 200);
        }
    }
}

package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How a body in which a placeholder was swapped goes on the wire of HTTP/1.1: docs/design.md, section 4, rules 7 and 8.
 */
class BodyFramingTest {

    private static final int CAP = 1000;

    /** More than may be on its way before some of it has left. */
    private static final int LARGE = 4 << 20;

    @TempDir
    Path folder;

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private EgressProxy proxy;
    private final BlockingQueue<Wire.Message> requests = new LinkedBlockingQueue<>();
    private TestOrigin origin;

    @BeforeEach
    void begin() throws Exception {
        origin = TestOrigin.of(peer -> {
            requests.add(peer.request());
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        });
        proxy = Proxies.start(
                folder,
                audit,
                new FakeSecrets().set("TOKEN", "r34l"),
                "max_request_body_bytes: " + CAP + ",",
                List.of(
                        Proxies.entry("{type: fake, name: TOKEN}", ""),
                        "{source: {type: fake, name: TOKEN}, inject: {header: x-INJECTED-key}}"));
    }

    @AfterEach
    void end() throws IOException {
        proxy.close();
        origin.close();
    }

    private Wire.Message request() throws InterruptedException {
        Wire.Message request = requests.poll(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(request).as("a request").isNotNull();
        return request;
    }

    private String head(String... fields) {
        return "POST /upload HTTP/1.1\r\nHost: api.localhost:" + origin.port() + "\r\nConnection: close\r\n"
                + (fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n") + "\r\n";
    }

    private String exchange(String message) throws IOException {
        try (Wire client = Wire.to(proxy.httpAddress())) {
            return client.send(message).readToEnd();
        }
    }

    @Test
    void withinTheCapTheLengthIsExact() throws Exception {
        String answer =
                exchange(head("Content-Length: 15", "Content-MD5: abc", "Digest: sha-256=abc") + "one PLACEHOLDER");

        assertThat(answer).startsWith("HTTP/1.1 200 ");
        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo("one r34l");
        assertThat(seen.has("Transfer-Encoding")).isFalse();
        assertThat(seen.field("Content-Length")).isEqualTo("8");
        assertThat(seen.has("Content-MD5") || seen.has("Digest")).isFalse();
    }

    @Test
    void anUnchangedBodyWithinTheCapKeepsItsHead() throws Exception {
        exchange(head("Content-Length: 11", "Digest: sha-256=abc") + "PLACEHOLDEX");

        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo("PLACEHOLDEX");
        assertThat(seen.field("Content-Length")).isEqualTo("11");
        assertThat(seen.field("Digest")).isEqualTo("sha-256=abc");
    }

    @Test
    void beyondTheCapItGoesInChunks() throws Exception {
        String filler = "x".repeat(LARGE);
        exchange(head("Content-Length: " + (filler.length() + 11)) + filler + "PLACEHOLDER");

        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo(filler + "r34l");
        assertThat(seen.field("Transfer-Encoding")).isEqualTo("chunked");
        assertThat(seen.has("Content-Length")).isFalse();
    }

    @Test
    void aBodyInChunksStaysInChunks() throws Exception {
        String filler = "x".repeat(LARGE);
        String chunk = Integer.toHexString(LARGE) + "\r\n" + filler + "\r\n";
        String answer = exchange(
                head("Transfer-Encoding: chunked") + chunk + "5\r\nPLACE\r\n3\r\nHOL\r\n7\r\nDER end\r\n0\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 200 ");
        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo(filler + "r34l end");
        assertThat(seen.field("Transfer-Encoding")).isEqualTo("chunked");
    }

    @Test
    void aBodyThatWaitsFor100ContinueIsAskedForAndSwapped() throws Exception {
        try (Wire client = Wire.to(proxy.httpAddress())) {
            client.send(head("Content-Length: 15", "Expect: 100-continue"));
            assertThat(client.readHead()).startsWith("HTTP/1.1 100 ");
            client.send("one PLACEHOLDER");
            assertThat(client.readToEnd()).startsWith("HTTP/1.1 200 ").doesNotContain("100 Continue");
        }

        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo("one r34l");
        assertThat(seen.field("Content-Length")).isEqualTo("8");
        assertThat(seen.has("Expect")).isFalse();
    }

    @Test
    void multipartBodiesStayIntact() throws Exception {
        String body = """
                --frontier-PLACEHOLDEX
                Content-Disposition: form-data; name="token"

                PLACEHOLDER
                --frontier-PLACEHOLDEX
                Content-Disposition: form-data; name="file"; filename="a.json"
                Content-Type: application/json
                Content-Transfer-Encoding: 8bit

                {"key": "PLACEHOLDER", "bytes": "\u00ff\u0000\u0001"}
                --frontier-PLACEHOLDEX--
                """.replace("\n", "\r\n");
        exchange(head(
                        "Content-Type: multipart/form-data; boundary=frontier-PLACEHOLDEX",
                        "Content-Length: " + body.length())
                + body);

        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo(body.replace("PLACEHOLDER", "r34l"));
        assertThat(seen.field("Content-Type")).isEqualTo("multipart/form-data; boundary=frontier-PLACEHOLDEX");
    }

    /** The casing of what a workload sends stays; what is injected has the casing of the configuration. */
    @Test
    void headerFieldsKeepTheirCasingAndTheirPlace() throws Exception {
        exchange(head("Content-Length: 0", "x-tOKEN: PLACEHOLDER", "X-last: 1"));

        assertThat(request().fields())
                .containsSequence("x-tOKEN: r34l", "X-last: 1")
                .contains("x-INJECTED-key: r34l");
    }

    @Test
    void trailersAreSwappedInTheirCasing() throws Exception {
        exchange(head("Transfer-Encoding: chunked", "Trailer: x-sIG")
                + "4\r\nbody\r\n0\r\nx-sIG: a PLACEHOLDER\r\n\r\n");

        Wire.Message seen = request();
        assertThat(seen.body()).isEqualTo("body");
        assertThat(seen.trailers()).containsExactly("x-sIG: a r34l");
    }
}

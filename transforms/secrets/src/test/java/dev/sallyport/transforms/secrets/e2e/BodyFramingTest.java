package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.testkit.FakeSecrets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How a body in which a placeholder was swapped goes on the wire of HTTP/1.1: docs/design.md, section 4, rules 7 and 8.
 */
class BodyFramingTest {

    private static final int PATIENCE_MILLIS = 20_000;
    private static final int CAP = 1000;

    /** More than may be on its way before some of it has left. */
    private static final int LARGE = 4 << 20;

    @TempDir
    Path folder;

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();
    private EgressProxy proxy;
    private RawOrigin origin;

    @BeforeEach
    void begin() throws Exception {
        origin = new RawOrigin();
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

    private Socket connect() throws IOException {
        InetSocketAddress to = proxy.httpAddress();
        Socket socket = new Socket(to.getAddress(), to.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private String head(String... fields) {
        return "POST /upload HTTP/1.1\r\nHost: api.localhost:" + origin.port() + "\r\nConnection: close\r\n"
                + (fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n") + "\r\n";
    }

    private String exchange(String message) throws IOException {
        try (Socket socket = connect()) {
            say(socket, message);
            return hearAll(socket);
        }
    }

    private static void say(Socket socket, String latin1) throws IOException {
        socket.getOutputStream().write(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String hearAll(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void withinTheCapTheLengthIsExact() throws Exception {
        String answer =
                exchange(head("Content-Length: 15", "Content-MD5: abc", "Digest: sha-256=abc") + "one PLACEHOLDER");

        assertThat(answer).startsWith("HTTP/1.1 200 ");
        RawOrigin.Request seen = origin.request();
        assertThat(seen.text()).isEqualTo("one r34l");
        assertThat(seen.chunked()).isFalse();
        assertThat(seen.fields()).contains("\ncontent-length: 8\n").doesNotContain("content-md5", "digest");
    }

    @Test
    void anUnchangedBodyWithinTheCapKeepsItsHead() throws Exception {
        exchange(head("Content-Length: 11", "Digest: sha-256=abc") + "PLACEHOLDEX");

        RawOrigin.Request seen = origin.request();
        assertThat(seen.text()).isEqualTo("PLACEHOLDEX");
        assertThat(seen.fields()).contains("\ncontent-length: 11\n", "\ndigest: sha-256=abc\n");
    }

    @Test
    void beyondTheCapItGoesInChunks() throws Exception {
        String filler = "x".repeat(LARGE);
        exchange(head("Content-Length: " + (filler.length() + 11)) + filler + "PLACEHOLDER");

        RawOrigin.Request seen = origin.request();
        assertThat(seen.text()).isEqualTo(filler + "r34l");
        assertThat(seen.chunked()).isTrue();
        assertThat(seen.fields()).doesNotContain("content-length");
    }

    @Test
    void aBodyInChunksStaysInChunks() throws Exception {
        String filler = "x".repeat(LARGE);
        String chunk = Integer.toHexString(LARGE) + "\r\n" + filler + "\r\n";
        String answer = exchange(
                head("Transfer-Encoding: chunked") + chunk + "5\r\nPLACE\r\n3\r\nHOL\r\n7\r\nDER end\r\n0\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 200 ");
        RawOrigin.Request seen = origin.request();
        assertThat(seen.text()).isEqualTo(filler + "r34l end");
        assertThat(seen.chunked()).isTrue();
    }

    @Test
    void aBodyThatWaitsFor100ContinueIsAskedForAndSwapped() throws Exception {
        try (Socket socket = connect()) {
            say(socket, head("Content-Length: 15", "Expect: 100-continue"));
            assertThat(hear(socket.getInputStream(), "\r\n\r\n")).startsWith("HTTP/1.1 100 ");
            say(socket, "one PLACEHOLDER");
            assertThat(hearAll(socket)).startsWith("HTTP/1.1 200 ").doesNotContain("100 Continue");
        }

        RawOrigin.Request seen = origin.request();
        assertThat(seen.text()).isEqualTo("one r34l");
        assertThat(seen.fields()).contains("\ncontent-length: 8\n").doesNotContain("expect");
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

        RawOrigin.Request seen = origin.request();
        assertThat(new String(seen.body(), StandardCharsets.ISO_8859_1)).isEqualTo(body.replace("PLACEHOLDER", "r34l"));
        assertThat(seen.fields()).contains("\ncontent-type: multipart/form-data; boundary=frontier-placeholdex\n");
    }

    /** The casing of what a workload sends stays; what is injected has the casing of the configuration. */
    @Test
    void headerFieldsKeepTheirCasingAndTheirPlace() throws Exception {
        exchange(head("Content-Length: 0", "x-tOKEN: PLACEHOLDER", "X-last: 1"));

        assertThat(origin.request().head()).contains("\nx-tOKEN: r34l\nX-last: 1\n", "\nx-INJECTED-key: r34l\n");
    }

    @Test
    void trailersAreSwappedInTheirCasing() throws Exception {
        exchange(head("Transfer-Encoding: chunked", "Trailer: x-sIG")
                + "4\r\nbody\r\n0\r\nx-sIG: a PLACEHOLDER\r\n\r\n");

        RawOrigin.Request seen = origin.request();
        assertThat(seen.text()).isEqualTo("body");
        assertThat(seen.trailers()).isEqualTo("x-sIG: a r34l\n");
    }

    private static String hear(InputStream in, String end) throws IOException {
        StringBuilder heard = new StringBuilder();
        while (!heard.toString().endsWith(end)) {
            int next = in.read();
            assertThat(next).isNotNegative();
            heard.append((char) next);
        }
        return heard.toString();
    }
}

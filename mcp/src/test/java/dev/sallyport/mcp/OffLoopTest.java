package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.testkit.WholeProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What takes long is judged off the event loop, on which others wait (docs/spec/decisions.md, section 20, "Turns"). */
class OffLoopTest {

    /** Slow in RE2/J: it follows as many threads as there may be characters. */
    private static final String SLOW = "(.*)(.*)(.*)(.*)(.*)[0-9]{20}$";

    private static final String COMPARED = "tools: [{name: search, when: [{path: q, matches: '" + SLOW + "'}]}]";
    private static final String NAMED = "tools: [{name: search}]";

    @TempDir
    Path folder;

    private final Queue<Boolean> judgedOffLoop = new ConcurrentLinkedQueue<>();

    /** How the length of a body is told. */
    enum Framing {
        LENGTH,
        CHUNKED
    }

    private static String search(int length) {
        String around = Client.call("1", "search", "{\"q\":\"\"}");
        return around.replace("\"\"", '"' + "a".repeat(length - around.length()) + '"');
    }

    private static String batch(int items) {
        return IntStream.range(0, items)
                .mapToObj(id -> "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"ping\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsComparedWithExpressions(Framing framing) throws Exception {
        assertThat(judgedOffLoop(COMPARED, framing, search(1024))).isFalse();
        assertThat(judgedOffLoop(COMPARED, framing, search(1025))).isTrue();
        assertThat(judgedOffLoop(COMPARED, framing, search(16 * 1024 + 1))).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsComparedWithPatternsOfUris(Framing framing) throws Exception {
        String policy = "resources: [{uri: 'file:///open/**'}]";
        String read = Client.request("1", "resources/read", "{\"uri\":\"file:///open/" + "a".repeat(1024) + "\"}");

        assertThat(judgedOffLoop(policy, framing, read)).isTrue();
        assertThat(judgedOffLoop(policy, framing, read.replace("a".repeat(1024), "a")))
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void longMessages(Framing framing) throws Exception {
        assertThat(judgedOffLoop(NAMED, framing, search(1025))).isFalse();
        assertThat(judgedOffLoop(NAMED, framing, search(16 * 1024))).isFalse();
        assertThat(judgedOffLoop(NAMED, framing, search(16 * 1024 + 1))).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void batchesOfManyMessages(Framing framing) throws Exception {
        assertThat(judgedOffLoop(NAMED, framing, batch(100))).isFalse();
        assertThat(judgedOffLoop(NAMED, framing, batch(101))).isTrue();
        assertThat(judgedOffLoop(NAMED, framing, batch(13_000))).isTrue();
    }

    /** Ten at a time, each with as much as may be compared and as many messages as may be sent. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tenAtATime(boolean batches) throws Exception {
        String body = batches ? batch(13_000) : search(60 * 1024);
        try (WholeProxy proxy = proxy(COMPARED)) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Socket client = proxy.connect();
                clients.add(client);
                send(client, Framing.LENGTH, "localhost:1", body);
            }
            for (Socket client : clients) {
                assertThat(answer(client)).contains(batches ? "\"limit\"" : "\"argument_constraint\"");
                client.close();
            }
        }
        assertThat(judgedOffLoop).hasSize(10).containsOnly(true);
    }

    /** A batch is forwarded as it came, wherever it was judged. */
    @Test
    void aLongBatchIsForwardedAsItCame() throws Exception {
        String body = batch(1000);
        try (ServerSocket origin = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                WholeProxy proxy = proxy(COMPARED);
                Socket client = proxy.connect()) {
            origin.setSoTimeout(20_000);
            send(client, Framing.LENGTH, "localhost:" + origin.getLocalPort(), body);
            try (Socket server = origin.accept()) {
                BufferedReader asked = reader(server);
                while (!asked.readLine().isEmpty()) {
                    // The head of the request.
                }
                assertThat(content(asked, body.length())).isEqualTo(body);
            }
        }
        assertThat(judgedOffLoop).containsExactly(true);
    }

    private boolean judgedOffLoop(String policy, Framing framing, String body) throws Exception {
        judgedOffLoop.clear();
        try (WholeProxy proxy = proxy(policy);
                Socket client = proxy.connect()) {
            send(client, framing, "localhost:1", body);
            answer(client);
        }
        assertThat(judgedOffLoop).hasSize(1);
        return judgedOffLoop.remove();
    }

    private WholeProxy proxy(String policy) throws Exception {
        return WholeProxy.start(
                folder,
                "[]\nmcp: {servers: [{name: s, rules: [{host: localhost}], " + policy + "}]}",
                null,
                new Seen());
    }

    private static void send(Socket client, Framing framing, String host, String body) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.US_ASCII);
        boolean chunked = framing == Framing.CHUNKED;
        write(
                client,
                "POST /mcp HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n"
                        + (chunked
                                ? "Transfer-Encoding: chunked\r\n\r\n"
                                : "Content-Length: " + content.length + "\r\n\r\n")
                        + (chunked ? Integer.toHexString(content.length) + "\r\n" + body + "\r\n0\r\n\r\n" : body));
    }

    /** The status line and the body of a response whose length is declared. */
    private static String answer(Socket client) throws IOException {
        BufferedReader in = reader(client);
        StringBuilder answer = new StringBuilder(in.readLine());
        int length = 0;
        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        return answer.append(content(in, length)).toString();
    }

    private static String content(BufferedReader in, int length) throws IOException {
        StringBuilder content = new StringBuilder(length);
        while (content.length() < length) {
            int next = in.read();
            assertThat(next).isNotNegative();
            content.append((char) next);
        }
        return content.toString();
    }

    private static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** The interceptor, and a note of where each decision that is the last was made. */
    private final class Seen implements TransformFactory<McpConfig> {

        private final McpFactory factory = new McpFactory();

        @Override
        public Descriptor<McpConfig> descriptor() {
            return factory.descriptor();
        }

        @Override
        public void validate(McpConfig config, Problems problems) {
            factory.validate(config, problems);
        }

        @Override
        public Capabilities capabilities(McpConfig config) {
            return factory.capabilities(config);
        }

        @Override
        public Transform create(McpConfig config, BuildContext context) throws ConfigException {
            InlineTransform interceptor = (InlineTransform) factory.create(config, context);
            return (InlineTransform) request -> seen(interceptor.decide(request), false);
        }

        private Decision seen(Decision decision, boolean offLoop) {
            return switch (decision) {
                case Decision.Read read -> Decision.read(read.access(), seen(read.then()));
                case Decision.Later later -> Decision.later(seen(later.then()));
                default -> {
                    judgedOffLoop.add(offLoop);
                    yield decision;
                }
            };
        }

        private RequestStep seen(RequestStep step) {
            return switch (step) {
                case RequestStep.Inline inline -> RequestStep.inline(read -> seen(inline.apply(read), false));
                case RequestStep.Blocking blocking -> RequestStep.blocking(read -> seen(blocking.apply(read), true));
                default -> throw new AssertionError("the interceptor waits for nothing");
            };
        }
    }
}

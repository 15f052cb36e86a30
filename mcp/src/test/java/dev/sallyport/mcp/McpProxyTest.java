package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.WholeProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The interceptor in a whole proxy. */
class McpProxyTest {

    private static final String TOOLS =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"delete\"},{\"name\":\"search\"}]}}";

    @TempDir
    Path folder;

    private WholeProxy proxy(TestUpstream trusted) throws Exception {
        return WholeProxy.start(
                folder,
                "[]\nmcp: {servers: [{name: s, rules: [{host: localhost}], tools: [{name: search}]}]}",
                trusted,
                new McpFactory());
    }

    private static TestResponse answer(ForwardedRequest request) {
        return request.body().contains("tools/list")
                ? TestResponse.ok(TOOLS).header("Content-Type", "application/json")
                : TestResponse.ok("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}")
                        .header("Content-Type", "application/json");
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void clientsOfBothVersionsSeeAndCallWhatIsListed(HttpClient.Version version) throws Exception {
        try (TestUpstream upstream = TestUpstream.https(McpProxyTest::answer);
                WholeProxy proxy = proxy(upstream);
                HttpClient client = proxy.client(version)) {
            assertThat(post(client, upstream, Client.list("1")).body())
                    .isEqualTo(TOOLS.replace("{\"name\":\"delete\"},", ""));
            assertThat(post(client, upstream, Client.call("2", "search", "{}")).body())
                    .contains("\"result\"");
            HttpResponse<String> denied = post(client, upstream, Client.call("3", "delete", "{}"));
            assertThat(denied.statusCode()).isEqualTo(200);
            assertThat(denied.body()).contains("\"id\":3,\"error\"");
            assertThat(upstream.requests()).hasSize(2);

            assertThat(proxy.audited().lines().toList())
                    .hasSize(3)
                    .anySatisfy(line -> assertThat(line)
                            .contains("\"level\":\"WARN\"", "\"rejected_by\":\"mcp\"", "\"tool\":\"delete\""));
        }
    }

    private static HttpResponse<String> post(HttpClient client, TestUpstream upstream, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(upstream.url() + "/mcp"))
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Each event is awaited before the origin sends the next one. */
    @Test
    void anEventArrivesBeforeTheNextOneIsSent() throws Exception {
        try (ServerSocket origin = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                WholeProxy proxy = proxy(null);
                Socket client = proxy.connect()) {
            write(
                    client,
                    "GET /mcp HTTP/1.1\r\nHost: localhost:" + origin.getLocalPort()
                            + "\r\nAccept: text/event-stream\r\nLast-Event-ID: 4\r\n\r\n");
            try (Socket server = threads.submit(origin::accept).get()) {
                BufferedReader asked = reader(server);
                while (!asked.readLine().isEmpty()) {
                    // The head of the request.
                }
                BufferedReader got = reader(client);
                write(
                        server,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                for (int i = 0; i < 3; i++) {
                    chunk(server, "id: " + i + "\ndata: " + TOOLS + "\n\n");
                    assertThat(lineThatBegins(got, "id: ")).isEqualTo("id: " + i);
                    assertThat(lineThatBegins(got, "data: "))
                            .isEqualTo("data: " + TOOLS.replace("{\"name\":\"delete\"},", ""));
                }
                chunk(server, "data: " + TOOLS.substring(0, 60));
                chunk(server, TOOLS.substring(60, 80));
                chunk(server, TOOLS.substring(80) + "\n\n");
                assertThat(lineThatBegins(got, "data: "))
                        .isEqualTo("data: " + TOOLS.replace("{\"name\":\"delete\"},", ""));
            }
        }
    }

    private static String lineThatBegins(BufferedReader reader, String with) throws IOException {
        String line = reader.readLine();
        while (!line.startsWith(with)) {
            line = reader.readLine();
        }
        return line;
    }

    private static void chunk(Socket socket, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(socket, Integer.toHexString(bytes.length) + "\r\n" + text + "\r\n");
    }

    private static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }
}

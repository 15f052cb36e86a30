package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 14a: what was in flight when the process ended is told at the next start. */
class KilledProcessIT {

    private static final String TUNNEL = "listening on \\S*:(\\d+) \\(tunnel_listen\\)";
    private static final String READY = "(ready) after \\d+ ms";
    private static final String TOLD = "in progress when the last process ended: (\\d+); each now has a record";

    @TempDir
    private Path folder;

    private final Semaphore asked = new Semaphore(0);
    private final List<Socket> sockets = new ArrayList<>();
    private ServerSocket origin;
    private String authority;

    @BeforeEach
    void start() throws Exception {
        origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        authority = "localhost:" + origin.getLocalPort();
        Thread.ofVirtual().start(this::accept);
        assertThat(Sallyport.run(folder, "generate-ca").code()).isZero();
        String config = String.join("\n", LauncherIT.good()) + "\nlog: {audit: {file: audit.jsonl, slots: 64}}\n";
        Files.writeString(folder.resolve("proxy.yaml"), config);
    }

    @AfterEach
    void stop() throws IOException {
        origin.close();
        synchronized (sockets) {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private void accept() {
        while (!origin.isClosed()) {
            try {
                Socket socket = keep(origin.accept());
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return; // The test has ended.
            }
        }
    }

    /** Answers what wants a WebSocket, what asks for an end, and nobody else. */
    private void serve(Socket socket) {
        try {
            String head = head(socket);
            if (head.contains("Upgrade: websocket")) {
                // The key is that of RFC 6455, 1.3.
                send(
                        socket,
                        String.join(
                                "\r\n",
                                "HTTP/1.1 101 Switching Protocols",
                                "Upgrade: websocket",
                                "Connection: Upgrade",
                                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
                                "",
                                ""));
            } else if (head.contains(" /soon ")) {
                send(socket, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
            }
            asked.release();
        } catch (IOException e) {
            // It was not needed any more.
        }
    }

    private Socket keep(Socket socket) {
        synchronized (sockets) {
            sockets.add(socket);
        }
        return socket;
    }

    private Socket client(int port, String first) throws IOException {
        Socket client = keep(new Socket(InetAddress.getLoopbackAddress(), port));
        send(client, first);
        return client;
    }

    private Socket tunnel(int port) throws IOException {
        Socket tunnel = client(port, "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
        assertThat(head(tunnel)).startsWith("HTTP/1.1 200 ");
        return tunnel;
    }

    private String get(String path, String... fields) {
        String lines = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return "GET http://" + authority + path + " HTTP/1.1\r\nHost: " + authority + "\r\n" + lines + "\r\n";
    }

    private void answered(int port) throws IOException {
        try (Socket client = client(port, get("/soon"))) {
            assertThat(head(client)).startsWith("HTTP/1.1 204 ");
        }
        asked.acquireUninterruptibly();
    }

    /** One of each kind, all of them at their origin or open. */
    private void begin(int port) throws IOException {
        client(port, get("/exchange?a=b"));
        asked.acquireUninterruptibly();
        tunnel(port);
        Socket webSocket = client(
                port,
                get(
                        "/socket",
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
        assertThat(head(webSocket)).startsWith("HTTP/1.1 101 ");
        asked.acquireUninterruptibly();
        Socket http2 = tunnel(port);
        send(http2, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        send(http2, frame(4, 0, 0, new byte[0]));
        send(http2, frame(1, 5, 1, headers("/stream")));
        asked.acquireUninterruptibly();
    }

    private byte[] headers(String path) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(0x82); // :method GET
        block.write(0x86); // :scheme http
        literal(block, 0x04, path);
        literal(block, 0x01, authority);
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, int name, String value) throws IOException {
        block.write(name);
        block.write(value.length());
        block.write(value.getBytes(StandardCharsets.US_ASCII));
    }

    private static String frame(int type, int flags, int stream, byte[] payload) {
        byte[] head = {0, 0, (byte) payload.length, (byte) type, (byte) flags, 0, 0, 0, (byte) stream};
        return new String(head, StandardCharsets.ISO_8859_1) + new String(payload, StandardCharsets.ISO_8859_1);
    }

    private static void send(Socket socket, String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    private static String head(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private List<JsonNode> records() throws IOException {
        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("audit.jsonl"))) {
            records.add(new ObjectMapper().readTree(line));
        }
        return records;
    }

    private static String line(JsonNode record) {
        JsonNode audit = record.path("audit");
        return audit.path("method").asText() + " "
                + audit.path("host").asText() + audit.path("path").asText() + " "
                + audit.path("protocol").asText() + " "
                + audit.path("action").asText() + " "
                + record.path("error").asText();
    }

    private Sallyport started() throws IOException {
        return Sallyport.start(folder, "-config", "proxy.yaml");
    }

    private static int port(Sallyport proxy) {
        proxy.awaitErr(READY);
        return Integer.parseInt(proxy.awaitErr(TUNNEL));
    }

    @Test
    void each_that_was_under_way_has_exactly_one_record_after_the_next_start() throws Exception {
        // given
        Instant before = Instant.now();
        try (Sallyport killed = started()) {
            int port = port(killed);
            answered(port);
            begin(port);

            // when: as by the kernel, while all of them wait
            killed.signal("KILL");
            killed.await();
        }
        Instant after = Instant.now();

        // then
        try (Sallyport next = started()) {
            assertThat(next.awaitErr(TOLD)).isEqualTo("4");
            answered(port(next));
            next.signal("TERM");
            assertThat(next.await().code()).isZero();
        }
        String ended = " error process_ended: the process ended while this was under way";
        List<JsonNode> records = records();
        assertThat(records)
                .extracting(KilledProcessIT::line)
                .containsExactly(
                        "GET localhost/soon http/1.1 allow ",
                        "GET localhost/exchange?a=b http/1.1" + ended,
                        "CONNECT localhost http/1.1" + ended,
                        "GET localhost/socket http/1.1" + ended,
                        "GET localhost/stream h2" + ended,
                        "GET localhost/soon http/1.1 allow ");
        assertThat(records.subList(1, 5))
                .allSatisfy(
                        record -> assertThat(Instant.parse(record.path("time").asText()))
                                .isBetween(before.minusMillis(1), after));
        assertThat(records)
                .extracting(record -> record.path("exchange_id").asText())
                .doesNotHaveDuplicates();
        assertThat(Files.readString(folder.resolve("audit.jsonl.inflight"), StandardCharsets.ISO_8859_1))
                .doesNotContain("localhost");
    }

    @Test
    @Tag("long")
    void an_orderly_end_leaves_nothing_to_tell() throws Exception {
        try (Sallyport first = started()) {
            int port = port(first);
            answered(port);
            tunnel(port).close();
            first.signal("TERM");
            assertThat(first.await().code()).isZero();
        }
        int count = records().size();

        try (Sallyport next = started()) {
            port(next);
            next.signal("TERM");
            assertThat(next.await().err()).doesNotContain("the last process");
        }

        assertThat(records()).hasSize(count);
    }

    @Test
    @Tag("long")
    void a_second_process_does_not_write_the_same_file() throws Exception {
        try (Sallyport first = started()) {
            int port = port(first);
            try (Sallyport second = started()) {
                Sallyport.Ended refused = second.await();

                assertThat(refused.code()).isEqualTo(1);
                assertThat(refused.err()).contains("/log/audit/file: ", "audit.jsonl: another running proxy writes it");
            }
            answered(port);
            Awaitility.await().until(() -> records().size() == 1);
        }
    }
}

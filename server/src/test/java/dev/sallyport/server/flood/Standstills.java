package dev.sallyport.server.flood;

import dev.sallyport.testsupport.TestDnsServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

/** What takes long to read, to search or to judge, by so many connections. */
final class Standstills {

    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"arguments\":{\"q\":\"";

    /** The most bytes on one connection, and the most requests, one after the other. */
    private static final int REPEATED_BYTES = 1_500_000;

    private static final int REPEATED = 10;

    private static final int CHUNKS = 240_000;
    private static final int CROWDED_NAMES = 400;
    private static final int CROWD = 4000;

    /** Each is looked up once in a while: answers, and failures, are kept. */
    private static final AtomicInteger NEXT_NAME = new AtomicInteger();

    private Standstills() {}

    static List<Flood> all() {
        return List.of(
                // From origins.
                new Flood("coded bodies that expand", (attacker, n) -> searched(attacker, n, "secret", "/expanding")),
                new Flood("bodies of ampersands", (attacker, n) -> searched(attacker, n, "secret", "/ampersands")),
                new Flood("bodies full of values", (attacker, n) -> searched(attacker, n, "n.secrets", "/values")),
                new Flood("messages of an origin, a byte each", Standstills::messages),
                // From clients alone.
                new Flood("bodies in chunks of one byte", (attacker, n) -> {
                    String body = "1\r\ny\r\n".repeat(CHUNKS) + "0\r\n\r\n";
                    return poured(attacker, n, "secret", "Transfer-Encoding: chunked\r\n\r\n" + body, 1);
                }),
                new Flood("messages of a client, a byte each", SocketFloods::tinyMessages),
                // Of MCP.
                new Flood("texts that an expression is slow with", (attacker, n) -> {
                    return called(attacker, n, CALL + "a".repeat(60_000) + "\"}}}");
                }),
                new Flood("shorter ones of these", (attacker, n) -> {
                    return called(attacker, n, CALL + "a".repeat(1000 - CALL.length()) + "\"}}}");
                }),
                new Flood("texts of escapes", (attacker, n) -> {
                    return called(attacker, n, CALL + "\\u0061".repeat(170_000) + "\"}}}");
                }),
                new Flood("batches of 13,000 messages", (attacker, n) -> {
                    String ping = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
                    return called(attacker, n, "[" + String.join(",", Collections.nCopies(13_000, ping)) + "]");
                }),
                // Of little on the wire.
                new Flood("coded bodies that are refused", (attacker, n) -> {
                    byte[] body = gzip(22 << 20);
                    return poured(
                            attacker,
                            n,
                            "grpc",
                            "Content-Encoding: gzip\r\nContent-Length: " + body.length + "\r\n\r\n"
                                    + new String(body, StandardCharsets.ISO_8859_1),
                            1);
                }),
                new Flood("placeholders by reference", Http2Floods::swaps),
                new Flood(
                        "long heads for clients that take none",
                        (attacker, n) -> Floods.answered(attacker, n, "/fields")),
                new Flood("the same over HTTP/2", Http2Floods::longHeads),
                new Flood("names of 4,000 addresses", Standstills::crowds));
    }

    /** Teaches a server the names that the last one looks up. */
    static TestDnsServer names() {
        TestDnsServer names = new TestDnsServer();
        for (int i = 0; i < CROWDED_NAMES; i++) {
            names.chain("n" + i + ".crowd.test", CROWD);
        }
        return names;
    }

    /** Answers in which the value is searched for, and which are taken. */
    private static long searched(Attacker attacker, int times, String host, String path) throws IOException {
        send(attacker, host);
        for (int i = 0; i < times; i++) {
            Socket socket = attacker.http();
            Attacker.pour(socket, bytes("GET " + path + " HTTP/1.1\r\nHost: " + attacker.host(host) + "\r\n\r\n"));
            Thread.ofVirtual().start(() -> take(socket));
        }
        return times + 1L;
    }

    private static long messages(Attacker attacker, int times) throws IOException {
        send(attacker, "secret");
        for (int i = 0; i < times; i++) {
            Socket socket = SocketFloods.opened(attacker, "/messages");
            Thread.ofVirtual().start(() -> take(socket));
        }
        return times + 1L;
    }

    /** Sends the host's value, which is searched for from then on. */
    private static void send(Attacker attacker, String host) throws IOException {
        String placeholder = host.equals("secret") ? Victim.PLACEHOLDER : Victim.SHORT_PLACEHOLDER;
        Socket socket = attacker.http();
        Attacker.send(
                socket,
                "GET /ok HTTP/1.1\r\nHost: " + attacker.host(host) + "\r\nAuthorization: " + placeholder + "\r\n\r\n");
        Attacker.head(socket);
    }

    private static long called(Attacker attacker, int times, String message) throws IOException {
        return poured(
                attacker,
                times,
                "compared",
                "Content-Type: application/json\r\nContent-Length: " + message.length() + "\r\n\r\n" + message,
                Math.clamp(REPEATED_BYTES / message.length(), 1, REPEATED));
    }

    /** So many connections, on each of which a request is repeated. */
    private static long poured(Attacker attacker, int times, String host, String rest, int repeated)
            throws IOException {
        byte[] requests = bytes(("POST /ok HTTP/1.1\r\nHost: " + attacker.host(host) + "\r\n" + rest).repeat(repeated));
        for (int i = 0; i < times; i++) {
            Socket socket = attacker.http();
            Attacker.pour(socket, requests);
            Thread.ofVirtual().start(() -> take(socket));
        }
        return (long) times * repeated;
    }

    private static long crowds(Attacker attacker, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            String name = "n" + NEXT_NAME.getAndIncrement() % CROWDED_NAMES + ".crowd.test";
            Attacker.pour(attacker.http(), bytes("GET / HTTP/1.1\r\nHost: " + name + ":1\r\n\r\n"));
        }
        return times;
    }

    private static void take(Socket from) {
        try {
            from.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The proxy has had enough of it, or the test.
        }
    }

    private static byte[] gzip(int length) {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(new byte[length]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return coded.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}

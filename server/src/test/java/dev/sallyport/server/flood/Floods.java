package dev.sallyport.server.flood;

import static dev.sallyport.server.flood.Attacker.head;
import static dev.sallyport.server.flood.Attacker.pour;
import static dev.sallyport.server.flood.Attacker.send;

import dev.sallyport.testsupport.ClientHelloBuilder;
import dev.sallyport.testsupport.DnsClient;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Every place in which bytes gather that a client or an origin sends, or makes the proxy make
 * (docs/decisions/0011-memory.md).
 */
final class Floods {

    private static final int MOST_OF_A_HELLO = 60_000;

    /** The longest request line is 16 KiB, and a head 64 KiB. */
    private static final String MANY = Victim.PLACEHOLDER.repeat(900);

    private Floods() {}

    /** One placeholder is 16 bytes, what it stands for 60,000. */
    static List<Flood> amplified() {
        return List.of(
                new Flood("a header", (attacker, much) -> asked(attacker, 5 * much, "GET /ok", "X-Many: " + MANY, "")),
                new Flood("the query", (attacker, much) -> asked(attacker, 5 * much, "GET /ok?q=" + MANY, "X: y", "")),
                new Flood("the path", (attacker, much) -> asked(attacker, 5 * much, "GET /" + MANY, "X: y", "")),
                new Flood(
                        "trailers",
                        (attacker, much) -> asked(
                                attacker,
                                5 * much,
                                "POST /ok",
                                "Transfer-Encoding: chunked",
                                "2\r\nok\r\n0\r\nX-Many: " + Victim.PLACEHOLDER.repeat(400) + "\r\n\r\n")),
                new Flood("a body that the origin does not take", (attacker, much) -> {
                    String body = MANY.repeat(8);
                    for (int i = 0; i < 10 * much; i++) {
                        pour(
                                attacker.http(),
                                bytes("POST /sink HTTP/1.1\r\nHost: " + attacker.host("secret") + "\r\nContent-Length: "
                                        + body.length() + "\r\n\r\n" + body));
                    }
                    return 10L * much;
                }));
    }

    /** Each on a connection of its own, and its answer awaited. */
    private static long asked(Attacker attacker, int times, String line, String field, String body) throws IOException {
        for (int i = 0; i < times; i++) {
            Socket socket = attacker.http();
            pour(
                    socket,
                    bytes(line + " HTTP/1.1\r\nHost: " + attacker.host("secret") + "\r\n" + field + "\r\n\r\n" + body));
            head(socket);
        }
        return times;
    }

    static List<Flood> heads() {
        return List.of(
                new Flood(
                        "heads of few long lines that do not end",
                        (attacker, much) -> unfinished(attacker, much, ("X: " + "x".repeat(1000) + "\r\n").repeat(58))),
                new Flood(
                        "heads of many short lines that do not end",
                        (attacker, much) -> unfinished(attacker, much, "a:b\r\n".repeat(150))),
                new Flood(
                        "request lines that do not end",
                        (attacker, much) -> refused(attacker, 200 * much, "GET /" + "x".repeat(15_000))));
    }

    private static long unfinished(Attacker attacker, int much, String fields) throws IOException {
        return refused(attacker, 200 * much, "GET / HTTP/1.1\r\nHost: denied.example\r\n" + fields);
    }

    /** Each is answered in the end, if only because it takes too long. */
    private static long refused(Attacker attacker, int times, String text) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            Socket socket = attacker.http();
            pour(socket, bytes(text));
            sockets.add(socket);
        }
        for (Socket socket : sockets) {
            head(socket);
        }
        return times;
    }

    private static long poured(Attacker attacker, int times, String text) throws IOException {
        for (int i = 0; i < times; i++) {
            pour(attacker.http(), bytes(text));
        }
        return times;
    }

    static List<Flood> bodies() {
        String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"";
        return List.of(
                new Flood("bodies that mcp holds", (attacker, much) -> held(attacker, much, "mcp", call)),
                new Flood("bodies that a judge holds", (attacker, much) -> held(attacker, much, "judge", "")),
                new Flood(
                        "bodies that a server for grpc is asked about",
                        (attacker, much) -> held(attacker, much, "grpc", "")),
                new Flood(
                        "chunk extensions",
                        (attacker, much) -> poured(
                                attacker,
                                20 * much,
                                "POST /ok HTTP/1.1\r\nHost: " + attacker.host("judge")
                                        + "\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + ("1;" + "x".repeat(1000) + "\r\ny\r\n").repeat(200))),
                new Flood(
                        "a body of many small chunks",
                        (attacker, much) -> poured(
                                attacker,
                                10 * much,
                                "POST /sink HTTP/1.1\r\nHost: " + attacker.host("grpc")
                                        + "\r\nTransfer-Encoding: chunked\r\n\r\n" + "1\r\ny\r\n".repeat(100_000))));
    }

    /** All of a body but its end. */
    private static long held(Attacker attacker, int much, String host, String start) throws IOException {
        byte[] request = bytes("POST /ok HTTP/1.1\r\nHost: " + attacker.host(host)
                + "\r\n"
                + "Content-Type: application/json\r\n"
                + "Accept: application/json, text/event-stream\r\n"
                + "Content-Length: 1000000\r\n\r\n"
                + start + "x".repeat(900_000));
        for (int i = 0; i < 30 * much; i++) {
            pour(attacker.http(), request);
        }
        return 30L * much;
    }

    static List<Flood> connections() {
        return List.of(
                new Flood("certificates for many names", (attacker, much) -> {
                    for (int i = 0; i < 150 * much; i++) {
                        send(
                                attacker.https(),
                                ClientHelloBuilder.naming("n" + i + ".example").bytes());
                    }
                    return 150L * much;
                }),
                new Flood("tunnels in which nothing is said", (attacker, much) -> {
                    for (int i = 0; i < 200 * much; i++) {
                        Socket socket = attacker.tunnel();
                        send(socket, "CONNECT n" + i + ".localhost:443 HTTP/1.1\r\n\r\n");
                        head(socket);
                    }
                    return 200L * much;
                }),
                new Flood("tunnels with a ClientHello that does not end", (attacker, much) -> {
                    for (int i = 0; i < 150 * much; i++) {
                        Socket socket = attacker.tunnel();
                        send(socket, "CONNECT n" + i + ".localhost:443 HTTP/1.1\r\n\r\n");
                        head(socket);
                        pour(socket, unfinishedHello());
                    }
                    return 150L * much;
                }),
                new Flood("tunnels that are passed through, to an origin that reads nothing", (attacker, much) -> {
                    byte[] bytes = new byte[1 << 20];
                    for (int i = 0; i < 20 * much; i++) {
                        Socket socket = attacker.tunnel();
                        send(socket, "CONNECT " + attacker.silent("pass") + " HTTP/1.1\r\n\r\n");
                        head(socket);
                        Thread.ofVirtual().start(() -> {
                            try {
                                send(
                                        socket,
                                        ClientHelloBuilder.naming("pass.localhost")
                                                .bytes());
                                send(socket, bytes);
                            } catch (IOException e) {
                                // Enough, says the proxy.
                            }
                        });
                    }
                    return 20L * much;
                }),
                new Flood("questions for many names", (attacker, much) -> {
                    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName(attacker.address()))) {
                        for (int i = 0; i < 5000 * much; i++) {
                            byte[] question = DnsClient.numbered(i);
                            socket.send(new DatagramPacket(question, question.length, attacker.dns()));
                        }
                    }
                    return 0;
                }),
                new Flood("questions over TCP whose answers nobody reads", (attacker, much) -> {
                    for (int i = 0; i < 20 * much; i++) {
                        pour(attacker.connect(attacker.dns()), Dns.stream(5000));
                    }
                    return 0;
                }),
                new Flood("handshakes of SOCKS that do not end", (attacker, much) -> {
                    List<Socket> sockets = new ArrayList<>();
                    for (int i = 0; i < 150 * much; i++) {
                        sockets.add(attacker.tunnel());
                        pour(sockets.get(i), new byte[] {5, 1, 0, 5, 1, 0, 3, (byte) 200, 'x', 'y'});
                    }
                    sockets.forEach(Attacker::drain);
                    return 150L * much;
                }));
    }

    static List<Flood> answers() {
        return List.of(
                new Flood(
                        "heads of responses that nobody takes",
                        (attacker, much) -> answered(attacker, 60 * much, "/fields")),
                new Flood(
                        "interim heads that nobody takes",
                        (attacker, much) -> answered(attacker, 20 * much, "/interim")),
                new Flood("trailers of responses", (attacker, much) -> answered(attacker, 20 * much, "/trailers")),
                new Flood("a coded body that is searched and that nobody takes", (attacker, much) -> {
                    long before = asked(attacker, 1, "GET /ok", "Authorization: " + Victim.PLACEHOLDER, "");
                    return before + answered(attacker, 3 * much, "/bomb");
                }));
    }

    static long answered(Attacker attacker, int times, String path) throws IOException {
        for (int i = 0; i < times; i++) {
            Socket socket = attacker.http();
            socket.setReceiveBufferSize(4096);
            pour(socket, bytes("GET " + path + " HTTP/1.1\r\nHost: " + attacker.host("secret") + "\r\n\r\n"));
        }
        return times;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Nearly as much of a ClientHello as there may be, in records of 16 KiB. */
    private static byte[] unfinishedHello() {
        ByteBuffer all = ByteBuffer.allocate(MOST_OF_A_HELLO);
        boolean first = true;
        while (all.remaining() > 16_389) {
            all.put(new byte[] {22, 3, 1}).putShort((short) 16_384);
            all.put(new byte[16_384]);
            if (first) {
                all.putInt(5, 1 << 24 | MOST_OF_A_HELLO);
                first = false;
            }
        }
        byte[] bytes = new byte[all.position()];
        all.flip().get(bytes);
        return bytes;
    }
}

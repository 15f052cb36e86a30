package dev.sallyport.server.flood;

import static dev.sallyport.server.flood.Attacker.pour;
import static dev.sallyport.testsupport.Http2Peer.CONTINUATION;
import static dev.sallyport.testsupport.Http2Peer.DATA;
import static dev.sallyport.testsupport.Http2Peer.END_HEADERS;
import static dev.sallyport.testsupport.Http2Peer.END_STREAM;
import static dev.sallyport.testsupport.Http2Peer.HEADERS;
import static dev.sallyport.testsupport.Http2Peer.PING;
import static dev.sallyport.testsupport.Http2Peer.RST_STREAM;
import static dev.sallyport.testsupport.Http2Peer.SETTINGS;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Those of HTTP/2. */
final class Http2Floods {

    private static final int GOAWAY = 7;
    private static final int NO_ERROR = 0;
    private static final int STREAMS = 100;
    private static final int CRUMBS = 14;

    /** Few enough for each to be faster, on any machine, than the frames that a second allows. */
    private static final int AT_ONCE = 4;

    private Http2Floods() {}

    static List<Flood> all() {
        return List.of(
                new Flood("crumbs of cookies, each one byte", (attacker, much) -> {
                    for (int i = 0; i < 12 * much; i++) {
                        pour(attacker.http(), requests("GET", "denied.example", STREAMS, CRUMBS));
                    }
                    return 12L * much * STREAMS;
                }),
                new Flood("the same, held for their bodies", (attacker, much) -> {
                    for (int i = 0; i < 8 * much; i++) {
                        pour(attacker.http(), requests("POST", attacker.host("judge"), STREAMS, CRUMBS));
                    }
                    return 8L * much * STREAMS;
                }),
                new Flood("more streams than there may be", (attacker, much) -> {
                    for (int i = 0; i < 2 * much; i++) {
                        pour(attacker.http(), requests("GET", "denied.example", STREAMS + 50, 1));
                    }
                    return 2L * much * (STREAMS + 50);
                }),
                new Flood("streams that are reset at once", (attacker, much) -> {
                    long exchanges = 0;
                    for (int i = 0; i < 5 * much; i++) {
                        exchanges += begun(attacker.http(), reset(attacker.host("judge"), 2000));
                    }
                    return exchanges + 5L * much; // and what ended the connections
                }),
                new Flood("a block of header fields that does not end", (attacker, much) -> {
                    Http2 client = new Http2(0);
                    client.frame(HEADERS, END_STREAM, 1, client.head("GET", "denied.example", 1));
                    for (int i = 0; i < 7; i++) {
                        client.frame(CONTINUATION, 0, 1, new byte[16_000]);
                    }
                    List<Socket> sockets = new ArrayList<>();
                    for (int i = 0; i < 100 * much; i++) {
                        sockets.add(attacker.http());
                        pour(sockets.get(i), client.bytes());
                    }
                    sockets.forEach(Attacker::drain);
                    return 100L * much;
                }),
                new Flood("bodies of one byte a frame", (attacker, much) -> {
                    Http2 client = new Http2(0);
                    client.frame(HEADERS, END_HEADERS, 1, client.head("POST", attacker.host("grpc"), 1));
                    for (int i = 0; i < 50_000; i++) {
                        client.frame(DATA, 0, 1, new byte[1]);
                    }
                    List<Socket> sockets = new ArrayList<>();
                    for (int i = 0; i < 10 * much; i++) {
                        sockets.add(attacker.http());
                        pour(sockets.get(i), client.bytes());
                    }
                    long exchanges = sockets.size();
                    for (Socket socket : sockets) {
                        exchanges += isBrokenOff(socket) ? 1 : 0;
                    }
                    return exchanges;
                }),
                new Flood("PING whose answers nobody reads", (attacker, much) -> control(attacker, much, PING, 8)),
                new Flood(
                        "SETTINGS whose answers nobody reads",
                        (attacker, much) -> control(attacker, much, SETTINGS, 0)));
    }

    private static long control(Attacker attacker, int much, int type, int length) throws IOException {
        Http2 client = new Http2(0);
        for (int i = 0; i < 50_000; i++) {
            client.frame(type, 0, 0, new byte[length]);
        }
        for (int i = 0; i < 20 * much; i += AT_ONCE) {
            List<Socket> sockets = new ArrayList<>();
            List<Thread> senders = new ArrayList<>();
            for (int j = 0; j < AT_ONCE; j++) {
                Socket socket = attacker.http();
                sockets.add(socket);
                senders.add(Thread.ofVirtual().start(() -> Attacker.sendAsFarAsTaken(socket, client.bytes())));
            }
            Attacker.join(senders);
            sockets.forEach(Attacker::drain);
        }
        return 20L * much; // what ended the connections
    }

    /** Requests that take nothing of their answers; a POST has a body that does not end. */
    private static byte[] requests(String method, String host, int streams, int crumbs) {
        return requests(new Http2(0), method, host, "/", streams, crumbs);
    }

    private static byte[] requests(Http2 client, String method, String host, String path, int streams, int crumbs) {
        for (int i = 0; i < streams; i++) {
            int flags = method.equals("POST") ? END_HEADERS : END_HEADERS | END_STREAM;
            client.frame(HEADERS, flags, 2 * i + 1, client.head(method, host, path, crumbs));
        }
        return client.bytes();
    }

    /** Heads full of placeholders, each of which is a byte after the first. */
    static long swaps(Attacker attacker, int times) throws IOException {
        return asked(attacker, times, new Http2(0, Victim.PLACEHOLDER), "secret", "/", CRUMBS);
    }

    /** Long heads of an origin, for a client whose window is closed. */
    static long longHeads(Attacker attacker, int times) throws IOException {
        return asked(attacker, times, new Http2(0), "open", "/fields", 1);
    }

    private static long asked(Attacker attacker, int times, Http2 client, String host, String path, int crumbs)
            throws IOException {
        byte[] requests = requests(client, "GET", attacker.host(host), path, STREAMS, crumbs);
        for (int i = 0; i < times; i++) {
            pour(attacker.http(), requests);
        }
        return (long) times * STREAMS;
    }

    private static byte[] reset(String host, int streams) {
        Http2 client = new Http2(0);
        for (int i = 0; i < streams; i++) {
            client.frame(HEADERS, END_HEADERS, 2 * i + 1, client.head("POST", host, CRUMBS));
            client.frame(RST_STREAM, 0, 2 * i + 1, new byte[] {0, 0, 0, 8});
        }
        return client.bytes();
    }

    /** Sends all of it until the proxy has had enough, and says how many streams it began. */
    private static long begun(Socket socket, byte[] bytes) throws IOException {
        pour(socket, bytes);
        ByteBuffer end = goAway(new DataInputStream(socket.getInputStream()));
        return ((end.getInt() & Integer.MAX_VALUE) + 1L) / 2;
    }

    /** Reads until the proxy ends the connection, and says whether it did so for what was sent: that has a record. */
    private static boolean isBrokenOff(Socket socket) throws IOException {
        ByteBuffer end = goAway(new DataInputStream(socket.getInputStream()));
        return end.getInt(4) != NO_ERROR;
    }

    /** What the next GOAWAY says (RFC 9113, 6.8). */
    private static ByteBuffer goAway(DataInputStream in) throws IOException {
        while (true) {
            int lengthAndType = in.readInt();
            in.skipNBytes(5);
            byte[] payload = in.readNBytes(lengthAndType >>> 8);
            if ((lengthAndType & 0xFF) == GOAWAY) {
                return ByteBuffer.wrap(payload);
            }
        }
    }
}

package dev.sallyport.conformance.upgrade;

import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * As much of Docker's API as {@code docker exec} asks for. The command repeats its input until that ends, then says how
 * long it was, and exits with 7.
 */
final class DockerOrigin implements AutoCloseable {

    static final int EXIT_CODE = 7;

    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    private static final int PIECE = 32 << 10;

    /** The start line of each request, its protocol to switch to and its credential. */
    final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private final TestOrigin origin;

    /** @param tls null for plaintext */
    DockerOrigin(InetAddress address, @Nullable SSLContext tls) {
        origin = TestOrigin.at(address, tls, this::serve);
    }

    int port() {
        return origin.port();
    }

    private void serve(Wire peer) throws IOException {
        while (true) {
            Wire.Message request = peer.request();
            String upgrade = request.field("Upgrade");
            seen.add(request.startLine() + " [" + upgrade + "] " + request.field("Authorization"));
            String path = request.startLine().split(" ", -1)[1].replaceFirst("^/v[0-9.]+", "");
            switch (path) {
                case "/_ping" -> peer.send(Wire.head("HTTP/1.1 200 OK", "Api-Version: 1.44", "Content-Length: 0"));
                case "/containers/box/json" ->
                    json(peer, "200 OK", "{\"Id\": \"box\", \"State\": {\"Running\": true}}");
                case "/containers/box/exec" -> json(peer, "201 Created", "{\"Id\": \"1\"}");
                case "/exec/1/json" ->
                    json(peer, "200 OK", "{\"ID\": \"1\", \"Running\": false, \"ExitCode\": " + EXIT_CODE + "}");
                case "/exec/1/start" -> {
                    if (upgrade.equals("tcp")) {
                        peer.send(Wire.head("HTTP/1.1 101 UPGRADED", "Connection: Upgrade", "Upgrade: tcp"));
                        run(peer);
                    }
                    return;
                }
                default -> json(peer, "404 Not Found", "{\"message\": \"no such page\"}");
            }
        }
    }

    private static void json(Wire peer, String status, String body) throws IOException {
        peer.send(Wire.head("HTTP/1.1 " + status, "Content-Type: application/json", "Content-Length: " + body.length())
                + body);
    }

    private static void run(Wire peer) throws IOException {
        byte[] piece = new byte[PIECE];
        long length = 0;
        for (int read = peer.in().read(piece); read >= 0; read = peer.in().read(piece)) {
            length += read;
            print(peer, STDOUT, ByteBuffer.wrap(piece, 0, read));
        }
        print(peer, STDERR, ByteBuffer.wrap(end(length).getBytes(StandardCharsets.US_ASCII)));
    }

    /** What the command says at the end of its input. */
    static String end(long length) {
        return "the input ended after " + length + " bytes\n";
    }

    /** A frame of a stream: its number, the length in four bytes, and the bytes. */
    private static void print(Wire peer, int stream, ByteBuffer bytes) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES * 2 + bytes.remaining());
        frame.put((byte) stream).put(new byte[Integer.BYTES - 1]).putInt(bytes.remaining());
        peer.send(frame.put(bytes).array());
    }

    @Override
    public void close() throws IOException {
        origin.close();
    }
}

package dev.sallyport.transforms.secrets.e2e;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An origin that takes one request apart as it is on the wire (RFC 9112), and answers 200. */
final class RawOrigin implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 20;

    /**
     * What came.
     *
     * @param head every line up to the empty one, each with a line feed behind it
     * @param chunked whether the body came in chunks
     * @param trailers as {@code head}
     */
    record Request(String head, boolean chunked, byte[] body, String trailers) {

        /** The head in lower case. */
        String fields() {
            return head.toLowerCase(Locale.ROOT);
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<Request> request = new CompletableFuture<>();

    RawOrigin() throws IOException {
        Thread.ofVirtual().start(() -> {
            try (Socket socket = server.accept()) {
                request.complete(read(new BufferedInputStream(socket.getInputStream())));
                socket.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException | RuntimeException e) {
                request.completeExceptionally(e);
            }
        });
    }

    int port() {
        return server.getLocalPort();
    }

    Request request() throws Exception {
        return request.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static Request read(InputStream in) throws IOException {
        String head = lines(in);
        String fields = head.toLowerCase(Locale.ROOT);
        boolean chunked = fields.contains("\ntransfer-encoding: chunked\n");
        int at = fields.indexOf("\ncontent-length: ");
        if (chunked) {
            return new Request(head, true, chunks(in), lines(in));
        }
        String length = at < 0 ? "0" : fields.substring(at + 17, fields.indexOf('\n', at + 1));
        return new Request(head, false, in.readNBytes(Integer.parseInt(length)), "");
    }

    private static String lines(InputStream in) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            lines.append(line).append('\n');
        }
        return lines.toString();
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int size = Integer.parseInt(line(in), 16);
        while (size > 0) {
            body.writeBytes(in.readNBytes(size));
            line(in);
            size = Integer.parseInt(line(in), 16);
        }
        return body.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("ended in the middle of a line");
            }
            line.append((char) c);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

package dev.sallyport.transforms.grpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An origin that shows the lines of one request's head as they were on the wire. For one thread. */
final class PlainOrigin implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

    PlainOrigin() throws IOException {
        socket.setSoTimeout(20_000);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Waits for a request without a body, and answers it. */
    List<String> head() throws IOException {
        return head("HTTP/1.1 204 No Content\r\n\r\n");
    }

    /** The same with this answer; the connection ends with it. */
    List<String> head(String answer) throws IOException {
        try (Socket connection = socket.accept()) {
            connection.setSoTimeout(20_000);
            List<String> lines = lines(connection);
            connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            return lines;
        }
    }

    /** The lines of the next head. */
    static List<String> lines(Socket connection) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
        List<String> lines = new ArrayList<>();
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            lines.add(line);
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

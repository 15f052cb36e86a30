package dev.sallyport.core.net;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Writes bytes as a test says and reads responses by the letter. */
final class RawClient implements AutoCloseable {

    /** A response as it came. */
    record Response(int status, String statusLine, List<String> fields, String body, List<String> trailers) {

        @Nullable String field(String name) {
            for (String field : fields) {
                if (field.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                    return field.substring(name.length() + 1).strip();
                }
            }
            return null;
        }
    }

    private final Socket socket;
    private final InputStream in;

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        socket.setSoTimeout((int) Proxy.PATIENCE.toMillis());
    }

    static RawClient to(Listener listener) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(listener.address());
        return new RawClient(socket);
    }

    static RawClient withReceiveBuffer(Listener listener, int bytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(bytes);
        socket.connect(listener.address());
        return new RawClient(socket);
    }

    /** Goes on in TLS, naming a server or, with null, nobody. */
    RawClient tls(Proxy proxy, @Nullable String serverName) throws IOException {
        SSLSocket secure = (SSLSocket) proxy.clientTls()
                .getSocketFactory()
                .createSocket(socket, serverName == null ? "127.0.0.1" : serverName, socket.getPort(), true);
        SSLParameters parameters = secure.getSSLParameters();
        if (serverName != null) {
            parameters.setServerNames(List.of(new SNIHostName(serverName)));
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        } else {
            parameters.setServerNames(List.of());
        }
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return new RawClient(secure);
    }

    Socket socket() {
        return socket;
    }

    RawClient send(String latin1) throws IOException {
        return send(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Each byte in a segment of its own; stops silently when the other side has closed. */
    RawClient trickle(String latin1) throws IOException {
        try {
            for (byte b : latin1.getBytes(StandardCharsets.ISO_8859_1)) {
                socket.getOutputStream().write(b);
            }
        } catch (SocketException e) {
            // Closed early, as it may.
        }
        return this;
    }

    RawClient endOutput() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    Response get(String path, String host) throws IOException {
        return send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").response();
    }

    /** A final response to a request that is not HEAD. */
    Response response() throws IOException {
        return response(false);
    }

    Response response(boolean headOnly) throws IOException {
        Response head = head();
        boolean bodyless = headOnly || head.status() < 200 || head.status() == 204 || head.status() == 304;
        if (bodyless) {
            return head;
        }
        List<String> trailers = new ArrayList<>();
        String body;
        if ("chunked".equals(head.field("Transfer-Encoding"))) {
            body = chunks(trailers);
        } else if (head.field("Content-Length") != null) {
            int length = Integer.parseInt(head.field("Content-Length"));
            body = latin1(in.readNBytes(length));
            if (body.length() != length) {
                throw new EOFException("body of " + body.length() + " instead of " + length);
            }
        } else {
            body = latin1(in.readAllBytes());
        }
        return new Response(head.status(), head.statusLine(), head.fields(), body, trailers);
    }

    Response head() throws IOException {
        String statusLine = line();
        List<String> fields = new ArrayList<>();
        for (String field = line(); !field.isEmpty(); field = line()) {
            fields.add(field);
        }
        return new Response(Integer.parseInt(statusLine, 9, 12, 10), statusLine, fields, "", List.of());
    }

    private String chunks(List<String> trailers) throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            int size = Integer.parseInt(line(), 16);
            if (size == 0) {
                for (String field = line(); !field.isEmpty(); field = line()) {
                    trailers.add(field);
                }
                return body.toString();
            }
            body.append(latin1(in.readNBytes(size)));
            if (!line().isEmpty()) {
                throw new IOException("no CR LF after a chunk");
            }
        }
    }

    String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("connection ended in a line: " + line.size() + " bytes");
            }
            line.write(b);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r")) {
            throw new IOException("a line without CR");
        }
        return text.substring(0, text.length() - 1);
    }

    String read(int bytes) throws IOException {
        return latin1(in.readNBytes(bytes));
    }

    /** All that comes until the end; a reset is an end. */
    String rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b >= 0; b = in.read()) {
                all.write(b);
            }
        } catch (SocketException e) {
            // Reset.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

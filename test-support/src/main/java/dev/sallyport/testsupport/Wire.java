package dev.sallyport.testsupport;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** One end of a connection, byte by byte; texts are Latin-1. Reads fail after {@link Patience#MILLIS} instead of hanging. */
public final class Wire implements AutoCloseable {

    private static final int PEEKED = 64;

    private final Socket socket;
    private final Socket transport;
    private final PushbackInputStream in;
    private final OutputStream out;

    public Wire(Socket socket) throws IOException {
        this(socket, socket);
    }

    /** @param transport what carries the socket, when that is TLS */
    public Wire(Socket socket, Socket transport) throws IOException {
        this(socket, transport, socket.getInputStream());
    }

    private Wire(Socket socket, Socket transport, InputStream in) throws IOException {
        this.socket = socket;
        this.transport = transport;
        socket.setSoTimeout(Patience.MILLIS);
        socket.setTcpNoDelay(true);
        this.in = new PushbackInputStream(in, PEEKED);
        this.out = socket.getOutputStream();
    }

    /** Reads ahead, for tests that send much; the socket itself must not be read. */
    public static Wire buffered(Socket socket) throws IOException {
        return new Wire(socket, socket, new BufferedInputStream(socket.getInputStream()));
    }

    /** A new connection. */
    public static Wire to(InetSocketAddress address) throws IOException {
        return new Wire(new Socket(address.getAddress(), address.getPort()));
    }

    /** A new connection whose kernel buffers no more than about this many bytes for the reader. */
    public static Wire withReceiveBuffer(InetSocketAddress address, int bytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(bytes);
        socket.connect(address);
        return new Wire(socket);
    }

    /** Continues in TLS, with a server name or, for null, without; a named server must prove its name. */
    public Wire tls(SSLContext context, @Nullable String serverName, String... protocols) throws IOException {
        String peer = serverName == null ? "127.0.0.1" : serverName;
        SSLSocket secured = (SSLSocket) context.getSocketFactory().createSocket(socket, peer, socket.getPort(), true);
        SSLParameters parameters = secured.getSSLParameters();
        if (serverName != null) {
            parameters.setServerNames(List.of(new SNIHostName(serverName)));
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        } else {
            parameters.setServerNames(List.of());
        }
        parameters.setApplicationProtocols(protocols);
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return new Wire(secured, transport);
    }

    public Socket socket() {
        return socket;
    }

    /** Reads a client's preface and continues in HTTP/2, beginning with these settings. */
    public Http2Peer http2(int... settings) throws IOException {
        return Http2Peer.accept(this, settings);
    }

    /** Lines that each end in CRLF. */
    public static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n";
    }

    /** A head: lines and the empty one. */
    public static String head(String... lines) {
        return lines(lines) + "\r\n";
    }

    /** The value of a field in a head, or an empty text. */
    public static String field(String head, String name) {
        for (String line : head.lines().toList()) {
            if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    public Wire send(String latin1) throws IOException {
        return send(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Wire send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends each byte in a segment of its own; stops silently when the other side has closed. */
    public Wire trickle(String latin1) throws IOException {
        try {
            for (byte b : latin1.getBytes(StandardCharsets.ISO_8859_1)) {
                out.write(b);
            }
        } catch (SocketException e) {
            // Closed early, as it may.
        }
        return this;
    }

    public Wire chunk(String latin1) throws IOException {
        return chunk(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Wire chunk(byte[] bytes) throws IOException {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        chunk.writeBytes((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        chunk.writeBytes(bytes);
        chunk.writeBytes(new byte[] {'\r', '\n'});
        return send(chunk.toByteArray());
    }

    /** Sends a complete response with this body. */
    public Wire ok(String body) throws IOException {
        return send(TestOrigin.ok(body));
    }

    public Wire endOutput() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** Sends a GET and reads the response. */
    public Message get(String path, String host) throws IOException {
        return send(head("GET " + path + " HTTP/1.1", "Host: " + host)).response();
    }

    /** The next bytes, without consuming them; fewer at the end. */
    public String peek(int bytes) throws IOException {
        byte[] next = in.readNBytes(bytes);
        in.unread(next);
        return latin1(next);
    }

    /** Reads through the empty line, which is not part of the result. */
    public String readHead() throws IOException {
        String text = readThrough("\r\n\r\n");
        return text.substring(0, text.length() - 4);
    }

    /** Reads a line, without its CRLF. */
    public String readLine() throws IOException {
        String line = readThrough("\r\n");
        return line.substring(0, line.length() - 2);
    }

    public String readThrough(String end) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] mark = end.getBytes(StandardCharsets.ISO_8859_1);
        while (true) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed after: " + read.toString(StandardCharsets.ISO_8859_1));
            }
            read.write(next);
            if ((byte) next == mark[mark.length - 1] && read.size() >= mark.length) {
                String text = read.toString(StandardCharsets.ISO_8859_1);
                if (text.endsWith(end)) {
                    return text;
                }
            }
        }
    }

    public String read(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("closed after " + read.length + " of " + bytes + " bytes");
        }
        return latin1(read);
    }

    /** One message with a declared length, or none: head and body. */
    public Message message() throws IOException {
        String head = readHead();
        String length = field(head, "Content-Length");
        return new Message(head, length.isEmpty() ? "" : read(Integer.parseInt(length)), List.of());
    }

    /** A chunked message with its framing removed; trailers are part of the body, behind the last chunk. */
    public Message chunkedMessage() throws IOException {
        String head = readHead();
        return new Message(head, chunks(), List.of());
    }

    /** The head of a message, whose lines must all end in CRLF; its body is unread. */
    public Message headOnly() throws IOException {
        String head = readHead();
        if (head.replace("\r\n", "").chars().anyMatch(c -> c == '\r' || c == '\n')) {
            throw new IOException("a line that does not end in CRLF: " + head);
        }
        return new Message(head, "", List.of());
    }

    /** A request, as its framing delimits it (RFC 9112, 6.3). */
    public Message request() throws IOException {
        Message head = headOnly();
        return head.has("Transfer-Encoding") || head.has("Content-Length") ? withBody(head) : head;
    }

    /** A response to a request that is not HEAD, as its framing delimits it (RFC 9112, 6.3). */
    public Message response() throws IOException {
        Message head = headOnly();
        boolean bodyless = head.status() < 200 || head.status() == 204 || head.status() == 304;
        return bodyless ? head : withBody(head);
    }

    private Message withBody(Message message) throws IOException {
        if (message.field("Transfer-Encoding").equalsIgnoreCase("chunked")) {
            List<String> trailers = new ArrayList<>();
            String body = chunks(trailers);
            return new Message(message.head(), body, List.copyOf(trailers));
        }
        String length = message.field("Content-Length");
        String body = length.isEmpty() ? latin1(in.readAllBytes()) : read(Integer.parseInt(length));
        return new Message(message.head(), body, List.of());
    }

    /** The content of chunks; trailers follow after a bar. */
    public String chunks() throws IOException {
        List<String> trailers = new ArrayList<>();
        String body = chunks(trailers);
        return trailers.isEmpty() ? body : body + "|" + String.join("\r\n", trailers);
    }

    private String chunks(List<String> trailers) throws IOException {
        StringBuilder body = new StringBuilder();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            body.append(read(size));
            if (!readLine().isEmpty()) {
                throw new IOException("no CRLF after a chunk");
            }
        }
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            trailers.add(line);
        }
        return body.toString();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(readLine(), 16);
    }

    /** Everything up to the end of the connection; a reset counts as an end. */
    public String readToEnd() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        try {
            for (int next = in.read(); next >= 0; next = in.read()) {
                read.write(next);
            }
        } catch (SocketException e) {
            // A reset is an end, too.
        }
        return read.toString(StandardCharsets.ISO_8859_1);
    }

    public InputStream in() {
        return in;
    }

    public OutputStream out() {
        return out;
    }

    /** Makes the kernel send RST. */
    public void reset() throws IOException {
        transport.setSoLinger(true, 0);
        transport.close();
    }

    /** Closes the transport without close_notify. */
    public void cut() throws IOException {
        transport.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** A message as it came; its head is without the empty line. */
    public record Message(String head, String body, List<String> trailers) {

        public int status() {
            return Integer.parseInt(head, 9, 12, 10);
        }

        /** The request line or the status line. */
        public String startLine() {
            return head.lines().findFirst().orElse("");
        }

        /** The field lines in order. */
        public List<String> fields() {
            return head.lines().skip(1).toList();
        }

        public boolean has(String name) {
            return fields().stream().anyMatch(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1));
        }

        /** The value of a field, or an empty text. */
        public String field(String name) {
            return Wire.field(head, name);
        }
    }
}

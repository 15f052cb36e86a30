package dev.sallyport.core.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** One end of a connection on which a test says and hears exact bytes. Reads fail after 20 s instead of hanging. */
public final class Wire implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final Socket transport;
    private final InputStream in;
    private final OutputStream out;

    public Wire(Socket socket) throws IOException {
        this(socket, socket);
    }

    /** @param transport what carries the socket, when that is TLS */
    Wire(Socket socket, Socket transport) throws IOException {
        this.socket = socket;
        this.transport = transport;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    public Socket socket() {
        return socket;
    }

    /** Reads a client's preface and speaks HTTP/2 from now on, beginning with these settings. */
    public Http2Wire http2(int... settings) throws IOException {
        return Http2Wire.accept(in, out, settings);
    }

    /** Lines that each end in CRLF. */
    public static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n";
    }

    /** A head: lines and the empty one. */
    public static String head(String... lines) {
        return lines(lines) + "\r\n";
    }

    public Wire send(String latin1) throws IOException {
        return send(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Wire send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    public Wire chunk(String text) throws IOException {
        return send(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
    }

    /** Reads through the empty line, which is not part of the result. */
    public String readHead() throws IOException {
        String text = readThrough("\r\n\r\n");
        return text.substring(0, text.length() - 4);
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
            if (next == mark[mark.length - 1] && read.size() >= mark.length) {
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
        return new String(read, StandardCharsets.ISO_8859_1);
    }

    /** One message with a declared length, or none: head and body. */
    public Message message() throws IOException {
        String head = readHead();
        return new Message(head, read(length(head)));
    }

    /** A chunked message with its framing removed; trailers are part of the body, behind the last chunk. */
    public Message chunkedMessage() throws IOException {
        String head = readHead();
        return new Message(head, chunks());
    }

    public String chunks() throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            String line = readThrough("\r\n");
            int size = Integer.parseInt(line.strip(), 16);
            if (size == 0) {
                String trailers = readThrough("\r\n");
                while (!trailers.endsWith("\r\n\r\n") && !trailers.equals("\r\n")) {
                    trailers += readThrough("\r\n");
                }
                return body + (trailers.equals("\r\n") ? "" : "|" + trailers.strip());
            }
            body.append(read(size));
            readThrough("\r\n");
        }
    }

    private static int length(String head) {
        for (String line : head.lines().toList()) {
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                return Integer.parseInt(line.substring(15).strip());
            }
        }
        return 0;
    }

    /** Everything up to the end of the connection; a reset counts as an end. */
    public String readToEnd() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        try {
            for (int next = in.read(); next >= 0; next = in.read()) {
                read.write(next);
            }
        } catch (SocketException e) {
            // a reset is an end too
        }
        return read.toString(StandardCharsets.ISO_8859_1);
    }

    public InputStream in() {
        return in;
    }

    public OutputStream out() {
        return out;
    }

    /** Has the kernel send RST. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Closes the transport without a word of TLS. */
    public void cut() throws IOException {
        transport.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** A message as it came. */
    public record Message(String head, String body) {

        public int status() {
            return Integer.parseInt(head.substring(9, 12));
        }
    }
}

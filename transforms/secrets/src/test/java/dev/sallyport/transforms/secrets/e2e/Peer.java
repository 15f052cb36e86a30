package dev.sallyport.transforms.secrets.e2e;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One end of a connection, byte by byte; texts are Latin-1. Reads fail after 20 s instead of hanging. */
final class Peer implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Peer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    static Peer to(InetSocketAddress address) throws IOException {
        return new Peer(new Socket(address.getAddress(), address.getPort()));
    }

    InputStream in() {
        return in;
    }

    OutputStream out() {
        return out;
    }

    Peer send(String latin1) throws IOException {
        return send(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    Peer send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends each byte in a segment of its own, as far as the kernel lets it. */
    Peer trickle(String latin1) throws IOException {
        for (byte b : latin1.getBytes(StandardCharsets.ISO_8859_1)) {
            send(new byte[] {b});
        }
        return this;
    }

    Peer chunk(byte[] bytes) throws IOException {
        return send(Integer.toHexString(bytes.length) + "\r\n").send(bytes).send("\r\n");
    }

    String readThrough(String end) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(end, Math.max(0, read.length() - end.length())) < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed after: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    /** Through the empty line. */
    String readHead() throws IOException {
        return readThrough("\r\n\r\n");
    }

    /** A head, and a body with a declared length. */
    String readMessage() throws IOException {
        String head = readHead();
        return head + read(Integer.parseInt("0" + field(head, "content-length")));
    }

    String read(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("closed after " + read.length + " bytes (expected: " + bytes + ")");
        }
        return new String(read, StandardCharsets.ISO_8859_1);
    }

    String readToEnd() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** The content of a message, however long it says that it is. */
    String readContent() throws IOException {
        String length = field(readHead(), "content-length");
        return length.isEmpty()
                ? new String(readChunks(), StandardCharsets.ISO_8859_1)
                : read(Integer.parseInt(length));
    }

    /** The content of a chunked body. */
    byte[] readChunks() throws IOException {
        return readChunksThrough("no such end");
    }

    /** The content of a chunked body up to a chunk behind which it ends like this. */
    byte[] readChunksThrough(String end) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int size = Integer.parseInt(readThrough("\r\n").strip(), 16);
        while (size > 0) {
            body.write(in.readNBytes(size));
            readThrough("\r\n");
            if (body.toString(StandardCharsets.ISO_8859_1).endsWith(end)) {
                break;
            }
            size = Integer.parseInt(readThrough("\r\n").strip(), 16);
        }
        return body.toByteArray();
    }

    static String field(String head, String name) {
        for (String line : head.lines().toList()) {
            if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

package dev.sallyport.conformance.echo;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One end of a connection, byte by byte; texts are Latin-1. Reads fail after a time instead of hanging. */
final class Line implements AutoCloseable {

    private static final int CLIENT_PATIENCE_MILLIS = 20_000;

    /**
     * Longer than the proxy keeps a connection that is not used: one that an origin closes while a request is on its way
     * costs those that must not be sent twice.
     */
    private static final int ORIGIN_PATIENCE_MILLIS = 600_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private Line(Socket socket, int patienceMillis) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(patienceMillis);
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    static Line ofClient(Socket socket) throws IOException {
        return new Line(socket, CLIENT_PATIENCE_MILLIS);
    }

    static Line ofOrigin(Socket socket) throws IOException {
        return new Line(socket, ORIGIN_PATIENCE_MILLIS);
    }

    static Line to(InetSocketAddress address) throws IOException {
        return ofClient(new Socket(address.getAddress(), address.getPort()));
    }

    void send(String latin1) throws IOException {
        out.write(bytes(latin1));
        out.flush();
    }

    /** What comes next, without taking it; shorter at the end. */
    String peek(int bytes) throws IOException {
        in.mark(bytes);
        String next = text(in.readNBytes(bytes));
        in.reset();
        return next;
    }

    String read(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("closed after " + read.length + " bytes (expected: " + bytes + ")");
        }
        return text(read);
    }

    /** Through the empty line; empty when the connection ends instead. */
    String readHead() throws IOException {
        StringBuilder read = new StringBuilder();
        while (!endsWith(read, "\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            read.append((char) next);
        }
        return read.toString();
    }

    /** Through the line feed. */
    String readLine() throws IOException {
        StringBuilder read = new StringBuilder();
        while (!endsWith(read, "\n")) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed after: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    /** The content of chunks. */
    String readChunks() throws IOException {
        StringBuilder content = new StringBuilder();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            content.append(read(size));
            readLine();
        }
        return content.toString();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(readLine().strip(), 16);
    }

    /** What follows the last chunk, through the empty line. */
    String readTrailers() throws IOException {
        StringBuilder read = new StringBuilder();
        for (String line = readLine(); !line.equals("\r\n"); line = readLine()) {
            read.append(line);
        }
        return read.toString();
    }

    String readToEnd() throws IOException {
        return text(in.readAllBytes());
    }

    /** The value of a field in a head; empty when it is not there. */
    static String field(String head, String name) {
        String begin = name.toLowerCase(Locale.ROOT) + ":";
        for (String line : head.split("\r\n", -1)) {
            if (line.toLowerCase(Locale.ROOT).startsWith(begin)) {
                return line.substring(begin.length()).strip();
            }
        }
        return "";
    }

    static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static boolean endsWith(StringBuilder text, String end) {
        int from = text.length() - end.length();
        return from >= 0 && text.indexOf(end, from) == from;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

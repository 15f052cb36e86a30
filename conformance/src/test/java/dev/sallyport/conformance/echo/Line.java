package dev.sallyport.conformance.echo;

import dev.sallyport.testsupport.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One end of a connection of the corpus; texts are Latin-1, and heads end with their empty line. */
final class Line implements AutoCloseable {

    /**
     * Longer than the proxy keeps a connection that is not used: one that an origin closes while a request is on its way
     * costs those that must not be sent twice.
     */
    private static final int ORIGIN_PATIENCE_MILLIS = 600_000;

    private final Wire wire;

    private Line(Wire wire) {
        this.wire = wire;
    }

    static Line ofClient(Socket socket) throws IOException {
        return new Line(Wire.buffered(socket));
    }

    static Line ofOrigin(Socket socket) throws IOException {
        Line line = ofClient(socket);
        socket.setSoTimeout(ORIGIN_PATIENCE_MILLIS);
        return line;
    }

    static Line to(InetSocketAddress address) throws IOException {
        return ofClient(new Socket(address.getAddress(), address.getPort()));
    }

    Wire wire() {
        return wire;
    }

    void send(String latin1) throws IOException {
        wire.send(latin1);
    }

    /** What comes next, without taking it; shorter at the end. */
    String peek(int bytes) throws IOException {
        return wire.peek(bytes);
    }

    String read(int bytes) throws IOException {
        return wire.read(bytes);
    }

    /** Through the empty line; empty when the connection ends instead. */
    String readHead() throws IOException {
        try {
            return wire.readThrough("\r\n\r\n");
        } catch (EOFException e) {
            return "";
        }
    }

    /** The content of chunks. */
    String readChunks() throws IOException {
        StringBuilder content = new StringBuilder();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            content.append(read(size));
            wire.readLine();
        }
        return content.toString();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(wire.readLine(), 16);
    }

    /** What follows the last chunk, through the empty line. */
    String readTrailers() throws IOException {
        StringBuilder read = new StringBuilder();
        for (String line = wire.readLine(); !line.isEmpty(); line = wire.readLine()) {
            read.append(line).append("\r\n");
        }
        return read.toString();
    }

    String readToEnd() throws IOException {
        return text(wire.in().readAllBytes());
    }

    /** The value of a field in a head; empty when it is not there. */
    static String field(String head, String name) {
        return Wire.field(head, name);
    }

    static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}

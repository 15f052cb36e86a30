package dev.sallyport.conformance.echo;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One end of an HTTP/2 connection that carries one exchange after the other, frame by frame. */
final class Http2Line {

    /** How what is heard ends where the stream does not. */
    static final String BROKEN_OFF = "(broken off)";

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private final Line line;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    /** A client's first one; a server's is what the client has chosen. */
    private int stream = 1;

    private String content = "";

    private Http2Line(Line line) {
        this.line = line;
    }

    static Http2Line client(Line line) throws IOException {
        line.send(PREFACE);
        Http2Line client = new Http2Line(line);
        client.frame(SETTINGS, 0, 0, new byte[0]);
        return client;
    }

    static Http2Line server(Line line) throws IOException {
        if (!line.read(PREFACE.length()).equals(PREFACE)) {
            throw new AssertionError("no preface");
        }
        Http2Line server = new Http2Line(line);
        server.frame(SETTINGS, 0, 0, new byte[0]);
        return server;
    }

    /** Sends a field section: name, value, name, value... */
    void fields(boolean end, String... lines) throws IOException {
        ByteBuf block = Unpooled.buffer();
        try {
            DefaultHttp2Headers headers = new DefaultHttp2Headers(false);
            for (int i = 0; i < lines.length; i += 2) {
                headers.add(lines[i], lines[i + 1]);
            }
            encoder.encodeHeaders(stream, headers, block);
            byte[] bytes = new byte[block.readableBytes()];
            block.readBytes(bytes);
            frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, bytes);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        } finally {
            block.release();
        }
    }

    void data(boolean end, String latin1) throws IOException {
        frame(DATA, end ? END_STREAM : 0, stream, Line.bytes(latin1));
    }

    /** Hears the stream to its end, be it that it is broken off: field sections, and then the content. */
    String hear() throws IOException {
        content = "";
        StringBuilder sections = new StringBuilder();
        StringBuilder data = new StringBuilder();
        while (true) {
            ByteBuffer head = ByteBuffer.wrap(Line.bytes(line.read(9)));
            int length = head.getInt(0) >>> 8;
            int type = head.get(3);
            int flags = head.get(4);
            byte[] payload = Line.bytes(line.read(length));
            if (type == SETTINGS && (flags & ACK) == 0) {
                frame(SETTINGS, ACK, 0, new byte[0]);
            } else if (type == HEADERS) {
                stream = head.getInt(5);
                sections.append(section(payload)).append("\r\n");
            } else if (type == DATA) {
                data.append(Line.text(payload));
                content = data.toString();
                takeMore(length);
            } else if (type == RST_STREAM || type == GOAWAY) {
                return sections.append(data).append(BROKEN_OFF).toString();
            }
            if ((type == HEADERS || type == DATA) && (flags & END_STREAM) != 0) {
                return sections.append(data).toString();
            }
        }
    }

    /** Gives the connection back what it spent: it lives longer than its first window. */
    private void takeMore(int length) throws IOException {
        if (length > 0) {
            frame(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(length).array());
        }
    }

    /** The content of what was heard last. */
    String content() {
        return content;
    }

    private String section(byte[] block) {
        StringBuilder lines = new StringBuilder();
        try {
            decoder.decodeHeaders(stream, Unpooled.wrappedBuffer(block))
                    .forEach(field -> lines.append(field.getKey())
                            .append(": ")
                            .append(field.getValue())
                            .append("\r\n"));
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        return lines.toString();
    }

    private void frame(int type, int flags, int id, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(payload.length + 9);
        frame.writeBytes(
                ByteBuffer.allocate(4).putInt(payload.length << 8 | type).array());
        frame.write(flags);
        frame.writeBytes(ByteBuffer.allocate(4).putInt(id).array());
        frame.writeBytes(payload);
        line.send(Line.text(frame.toByteArray()));
    }
}

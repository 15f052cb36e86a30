package dev.sallyport.testsupport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** One end of an HTTP/2 connection, frame by frame: sends exactly what the test tells it, valid or not. */
public final class Http2Peer implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;

    public static final int END_STREAM = 1;
    public static final int ACK = 1;
    public static final int END_HEADERS = 4;

    public static final int MAX_CONCURRENT_STREAMS = 3;
    public static final int INITIAL_WINDOW_SIZE = 4;
    public static final int MAX_HEADER_LIST_SIZE = 6;

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private final Wire wire;
    private final DefaultHttp2HeadersEncoder encoder;
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
    private boolean settingsAcknowledged;

    /** One frame. */
    public record Frame(int type, int flags, int stream, byte[] payload) {

        /** Whether it ends its stream's content in this direction. */
        public boolean ends() {
            return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
        }

        public String text() {
            return new String(payload, StandardCharsets.ISO_8859_1);
        }

        /** The 32-bit number at this offset. */
        public int number(int offset) {
            return ByteBuffer.wrap(payload).getInt(offset);
        }

        /** The error code of RST_STREAM or GOAWAY. */
        public Http2Error code() {
            return Http2Error.valueOf(number(type == GOAWAY ? 4 : 0));
        }

        /** The last stream of GOAWAY. */
        public int lastStream() {
            return number(0);
        }
    }

    private Http2Peer(Wire wire, DefaultHttp2HeadersEncoder encoder) {
        this.wire = wire;
        this.encoder = encoder;
    }

    /** Sends nothing yet: a client calls {@link #greet} or sends something else. Its fields enter the dynamic table. */
    public static Http2Peer silent(Wire wire) {
        return new Http2Peer(wire, new DefaultHttp2HeadersEncoder());
    }

    /** Every field is a literal that is never indexed, so that a block is as long as its fields. */
    private static Http2Peer literal(Wire wire) {
        return new Http2Peer(wire, new DefaultHttp2HeadersEncoder((name, value) -> true));
    }

    /** Reads the client's preface and answers with settings: identifier, value, identifier, value... */
    public static Http2Peer accept(Wire wire, int... settings) throws IOException {
        String preface = wire.read(PREFACE.length());
        if (!preface.equals(PREFACE)) {
            throw new AssertionError("preface: " + preface);
        }
        return literal(wire).settings(settings);
    }

    /** Sends a client's preface and settings. */
    public static Http2Peer connect(Wire wire, int... settings) throws IOException {
        return literal(wire).raw(PREFACE).settings(settings);
    }

    /** Sends a client's preface and settings, and acknowledges the server's at once; then reading sends nothing. */
    public Http2Peer greet(int... settings) throws IOException {
        settingsAcknowledged = true;
        return raw(PREFACE).settings(settings).send(SETTINGS, ACK, 0);
    }

    public Wire wire() {
        return wire;
    }

    /** The next frame, whatever it is, or null at the end of the connection. */
    public @Nullable Frame nextOrNull() throws IOException {
        try {
            return any();
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    /** The next frame, whatever it is. */
    public Frame any() throws IOException {
        byte[] head = wire.in().readNBytes(9);
        if (head.length < 9) {
            throw new EOFException("closed");
        }
        ByteBuffer fields = ByteBuffer.wrap(head);
        int length = fields.getInt(0) >>> 8;
        byte[] payload = wire.in().readNBytes(length);
        if (payload.length < length) {
            throw new EOFException("closed within a frame");
        }
        return new Frame(head[3] & 0xff, head[4] & 0xff, fields.getInt(5), payload);
    }

    /** The next frame of a message, or one that ends a stream or the connection; answers settings and pings. */
    public Frame next() throws IOException {
        while (true) {
            Frame frame = any();
            if (frame.type() == PING && frame.flags() != ACK) {
                send(PING, ACK, 0, frame.payload());
            } else if (frame.type() == SETTINGS) {
                acknowledge(frame);
            } else if (frame.type() != WINDOW_UPDATE && frame.type() != PING) {
                return frame;
            }
        }
    }

    private void acknowledge(Frame settings) throws IOException {
        if (settings.flags() != ACK && !settingsAcknowledged) {
            send(SETTINGS, ACK, 0);
        }
    }

    /** The next frame of this type; others are answered as above, or dropped. */
    public Frame next(int type) throws IOException {
        while (true) {
            Frame frame = type == WINDOW_UPDATE || type == SETTINGS || type == PING ? any() : next();
            if (frame.type() == type) {
                return frame;
            }
        }
    }

    /** Reads a stream until it ends, is reset, or the connection ends. Returns no credit. */
    public Http2Message answer(int stream) throws IOException {
        return message(stream, false);
    }

    /** Reads the next message to its end. When it has ended, credit is returned to the connection. */
    public Http2Message message() throws IOException {
        return message(0, true);
    }

    private Http2Message message(int wanted, boolean credit) throws IOException {
        List<Http2Headers> sections = new ArrayList<>();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int stream = wanted;
        boolean ended = false;
        Http2Error reset = null;
        for (Frame frame = nextOrNull(); frame != null; frame = nextOrNull()) {
            if (frame.type() == SETTINGS) {
                acknowledge(frame);
            }
            if (frame.type() == GOAWAY) {
                reset = frame.code();
                break;
            }
            Http2Headers section = frame.type() == HEADERS ? section(frame) : null;
            stream = stream == 0 && (section != null || frame.type() == RST_STREAM) ? frame.stream() : stream;
            if (frame.stream() != stream || stream == 0) {
                continue;
            }
            if (section != null) {
                sections.add(section);
            } else if (frame.type() == DATA) {
                body.writeBytes(frame.payload());
            } else if (frame.type() == RST_STREAM) {
                reset = frame.code();
                break;
            }
            if (frame.ends()) {
                ended = true;
                break;
            }
        }
        if (credit && ended && body.size() > 0) {
            windowUpdate(0, body.size());
        }
        return new Http2Message(stream, sections, body.toString(StandardCharsets.ISO_8859_1), ended, reset);
    }

    /** Reads to the end of the connection; the result is the last GOAWAY, or null. */
    public @Nullable Frame end() throws IOException {
        Frame last = null;
        for (Frame frame = nextOrNull(); frame != null; frame = nextOrNull()) {
            if (frame.type() == GOAWAY) {
                last = frame;
            }
        }
        return last;
    }

    /** The fields of a frame with a complete field section. */
    public Http2Headers section(Frame headers) {
        ByteBuf block = Unpooled.wrappedBuffer(headers.payload());
        try {
            return decoder.decodeHeaders(headers.stream(), block);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    /** The lines of a field section, each {@code name: value}. */
    public List<String> fields(Frame headers) {
        return lines(section(headers));
    }

    /** The lines of a field section, each {@code name: value}. */
    public static List<String> lines(Http2Headers section) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<CharSequence, CharSequence> line : section) {
            lines.add(line.getKey() + ": " + line.getValue());
        }
        return lines;
    }

    /** Reads a request to its end and returns its stream; drops the body. */
    public int request() throws IOException {
        while (true) {
            Frame frame = next();
            if (frame.type() == HEADERS) {
                fields(frame);
            }
            if (frame.ends()) {
                return frame.stream();
            }
        }
    }

    /** Sends a field section: name, value, name, value... */
    public Http2Peer headers(int stream, boolean end, String... lines) throws IOException {
        return send(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, block(lines));
    }

    /** Sends a request to {@code a.test}, with further fields. */
    public Http2Peer request(int stream, boolean end, String method, String path, String... more) throws IOException {
        String scheme = wire.socket() instanceof SSLSocket ? "https" : "http";
        List<String> lines =
                new ArrayList<>(List.of(":method", method, ":scheme", scheme, ":authority", "a.test", ":path", path));
        lines.addAll(List.of(more));
        return headers(stream, end, lines.toArray(new String[0]));
    }

    /** Encodes a field section in this order: name, value, name, value... */
    public byte[] block(String... lines) {
        ByteBuf block = Unpooled.buffer();
        try {
            for (int i = 0; i < lines.length; i += 2) {
                Http2Headers line = new DefaultHttp2Headers(false); // Several fields would be reordered.
                encoder.encodeHeaders(1, line.add(lines[i], lines[i + 1]), block);
            }
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return bytes;
    }

    public Http2Peer data(int stream, boolean end, String text) throws IOException {
        return data(stream, end, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Http2Peer data(int stream, boolean end, byte[] bytes) throws IOException {
        return send(DATA, end ? END_STREAM : 0, stream, bytes);
    }

    /** Sends a complete response with this body. */
    public Http2Peer ok(int stream, String body) throws IOException {
        return headers(stream, false, ":status", "200", "content-length", Integer.toString(body.length()))
                .data(stream, true, body);
    }

    public Http2Peer reset(int stream, Http2Error error) throws IOException {
        return reset(stream, (int) error.code());
    }

    public Http2Peer reset(int stream, int code) throws IOException {
        return send(RST_STREAM, 0, stream, numbers(code));
    }

    public Http2Peer goAway(int lastStream, int code) throws IOException {
        return send(GOAWAY, 0, 0, numbers(lastStream, code));
    }

    public Http2Peer windowUpdate(int stream, int increment) throws IOException {
        return send(WINDOW_UPDATE, 0, stream, numbers(increment));
    }

    public Http2Peer settings(int... settings) throws IOException {
        ByteBuffer payload = ByteBuffer.allocate(settings.length * 3);
        for (int i = 0; i < settings.length; i += 2) {
            payload.putShort((short) settings[i]).putInt(settings[i + 1]);
        }
        return send(SETTINGS, 0, 0, payload.array());
    }

    public static byte[] numbers(int... numbers) {
        ByteBuffer payload = ByteBuffer.allocate(numbers.length * 4);
        for (int number : numbers) {
            payload.putInt(number);
        }
        return payload.array();
    }

    /** A frame as it is on the wire. */
    public static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    public Http2Peer send(int type, int flags, int stream, byte... payload) throws IOException {
        return raw(frame(type, flags, stream, payload));
    }

    public Http2Peer raw(String latin1) throws IOException {
        wire.send(latin1);
        return this;
    }

    public Http2Peer raw(byte[] bytes) throws IOException {
        wire.send(bytes);
        return this;
    }

    @Override
    public void close() throws IOException {
        encoder.close();
        wire.close();
    }
}

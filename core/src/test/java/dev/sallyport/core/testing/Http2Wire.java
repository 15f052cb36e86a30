package dev.sallyport.core.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One end of an HTTP/2 connection, frame by frame: says what it is told, be it right or wrong. */
public final class Http2Wire {

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

    private final InputStream in;
    private final OutputStream out;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder((name, value) -> true);
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);

    /** One frame. */
    public record Frame(int type, int flags, int stream, byte[] payload) {

        public boolean ends() {
            return (flags & END_STREAM) != 0;
        }

        public String text() {
            return new String(payload, StandardCharsets.ISO_8859_1);
        }

        /** The 32-bit number at this offset. */
        public int number(int offset) {
            return ByteBuffer.wrap(payload).getInt(offset);
        }
    }

    private Http2Wire(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /** Reads the client's preface and answers with settings: identifier, value, identifier, value... */
    public static Http2Wire accept(InputStream in, OutputStream out, int... settings) throws IOException {
        String preface = new String(in.readNBytes(PREFACE.length()), StandardCharsets.ISO_8859_1);
        if (!preface.equals(PREFACE)) {
            throw new AssertionError("preface: " + preface);
        }
        Http2Wire wire = new Http2Wire(in, out);
        wire.settings(settings);
        return wire;
    }

    /** Sends a client's preface and settings. */
    public static Http2Wire connect(InputStream in, OutputStream out, int... settings) throws IOException {
        out.write(PREFACE.getBytes(StandardCharsets.ISO_8859_1));
        Http2Wire wire = new Http2Wire(in, out);
        wire.settings(settings);
        return wire;
    }

    /** The next frame, whatever it is. */
    public Frame any() throws IOException {
        byte[] head = in.readNBytes(9);
        if (head.length < 9) {
            throw new SocketException("closed");
        }
        ByteBuffer fields = ByteBuffer.wrap(head);
        int length = fields.getInt(0) >>> 8;
        byte[] payload = in.readNBytes(length);
        return new Frame(head[3], head[4], fields.getInt(5), payload);
    }

    /** The next frame of a message, or that ends something; settings and pings are answered. */
    public Frame next() throws IOException {
        while (true) {
            Frame frame = any();
            if (frame.type() == SETTINGS && frame.flags() != ACK) {
                frame(SETTINGS, ACK, 0, new byte[0]);
            } else if (frame.type() == PING && frame.flags() != ACK) {
                frame(PING, ACK, 0, frame.payload());
            } else if (frame.type() != WINDOW_UPDATE && frame.type() != SETTINGS && frame.type() != PING) {
                return frame;
            }
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

    /** The lines of a field section, each {@code name: value}. */
    public List<String> fields(Frame headers) {
        ByteBuf block = Unpooled.wrappedBuffer(headers.payload());
        try {
            List<String> lines = new ArrayList<>();
            for (Map.Entry<CharSequence, CharSequence> line : decoder.decodeHeaders(headers.stream(), block)) {
                lines.add(line.getKey() + ": " + line.getValue());
            }
            return lines;
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Reads a request to its end, and hands out its number; the body is dropped. */
    public int request() throws IOException {
        while (true) {
            Frame frame = next();
            if (frame.type() == HEADERS) {
                fields(frame);
            }
            if (frame.ends() && (frame.type() == HEADERS || frame.type() == DATA)) {
                return frame.stream();
            }
        }
    }

    /** Sends a field section: name, value, name, value... */
    public void headers(int stream, boolean end, String... lines) throws IOException {
        frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, block(stream, lines));
    }

    public byte[] block(int stream, String... lines) {
        ByteBuf block = Unpooled.buffer();
        try {
            for (int i = 0; i < lines.length; i += 2) {
                Http2Headers line = new DefaultHttp2Headers(false); // several would be put in order
                encoder.encodeHeaders(stream, line.add(lines[i], lines[i + 1]), block);
            }
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        return bytes;
    }

    public void data(int stream, boolean end, String text) throws IOException {
        data(stream, end, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public void data(int stream, boolean end, byte[] bytes) throws IOException {
        frame(DATA, end ? END_STREAM : 0, stream, bytes);
    }

    /** A complete response with this body. */
    public void ok(int stream, String body) throws IOException {
        headers(stream, false, ":status", "200", "content-length", Integer.toString(body.length()));
        data(stream, true, body);
    }

    public void reset(int stream, int code) throws IOException {
        frame(RST_STREAM, 0, stream, numbers(code));
    }

    public void goAway(int lastStream, int code) throws IOException {
        frame(GOAWAY, 0, 0, numbers(lastStream, code));
    }

    public void windowUpdate(int stream, int increment) throws IOException {
        frame(WINDOW_UPDATE, 0, stream, numbers(increment));
    }

    public void settings(int... settings) throws IOException {
        ByteBuffer payload = ByteBuffer.allocate(settings.length * 3);
        for (int i = 0; i < settings.length; i += 2) {
            payload.putShort((short) settings[i]).putInt(settings[i + 1]);
        }
        frame(SETTINGS, 0, 0, payload.array());
    }

    public static byte[] numbers(int... numbers) {
        ByteBuffer payload = ByteBuffer.allocate(numbers.length * 4);
        for (int number : numbers) {
            payload.putInt(number);
        }
        return payload.array();
    }

    public void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(payload.length + 9);
        frame.writeBytes(
                ByteBuffer.allocate(4).putInt(payload.length << 8 | type).array());
        frame.write(flags);
        frame.writeBytes(numbers(stream));
        frame.writeBytes(payload);
        out.write(frame.toByteArray());
        out.flush();
    }
}

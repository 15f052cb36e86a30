package dev.sallyport.core.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A client of HTTP/2 that sends whatever frames a test says. */
final class FrameClient implements AutoCloseable {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;
    static final int ACK = 1;

    record Frame(int type, int flags, int stream, byte[] payload) {

        boolean ends() {
            return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
        }

        Http2Error code() {
            ByteBuffer bytes = ByteBuffer.wrap(payload);
            return Http2Error.valueOf(type == GOAWAY ? bytes.getInt(4) : bytes.getInt(0));
        }

        int lastStream() {
            return ByteBuffer.wrap(payload).getInt();
        }
    }

    /**
     * What came on one stream.
     *
     * @param reset why it was reset, or null
     */
    record Answer(
            List<Integer> interim,
            @Nullable Http2Headers head,
            String body,
            @Nullable Http2Headers trailers,
            boolean ended,
            @Nullable Http2Error reset) {

        int status() {
            return head == null ? 0 : Integer.parseInt(head.status().toString());
        }
    }

    private final Socket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);

    private FrameClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
        socket.setSoTimeout((int) Proxy.PATIENCE.toMillis());
    }

    static FrameClient silent(Listener listener) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(listener.address());
        return new FrameClient(socket);
    }

    /** In the clear, greeted. */
    static FrameClient to(Listener listener, int... settings) throws IOException {
        return silent(listener).greet(settings);
    }

    static FrameClient overTls(Proxy proxy, Listener listener, String serverName) throws IOException {
        return silent(listener).tls(proxy, serverName).greet();
    }

    FrameClient tls(Proxy proxy, String serverName) throws IOException {
        SSLSocket secure = (SSLSocket)
                proxy.clientTls().getSocketFactory().createSocket(socket, serverName, socket.getPort(), true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(serverName)));
        parameters.setApplicationProtocols(new String[] {"h2"});
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        if (!"h2".equals(secure.getApplicationProtocol())) {
            throw new IOException("negotiated: " + secure.getApplicationProtocol());
        }
        return new FrameClient(secure);
    }

    FrameClient greet(int... settings) throws IOException {
        raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer payload = ByteBuffer.allocate(settings.length * 3);
        for (int i = 0; i < settings.length; i += 2) {
            payload.putShort((short) settings[i]).putInt(settings[i + 1]);
        }
        return send(SETTINGS, 0, 0, payload.array()).send(SETTINGS, ACK, 0);
    }

    FrameClient raw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    static byte[] frame(int type, int flags, int stream, byte... payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    FrameClient send(int type, int flags, int stream, byte... payload) throws IOException {
        return raw(frame(type, flags, stream, payload));
    }

    byte[] block(String... pairs) {
        Http2Headers headers = new DefaultHttp2Headers(false);
        for (int i = 0; i < pairs.length; i += 2) {
            headers.add(pairs[i], pairs[i + 1]);
        }
        ByteBuf out = Unpooled.buffer();
        try {
            encoder.encodeHeaders(1, headers, out);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes).release();
        return bytes;
    }

    /** A block of literals in this order, whatever they are; {@link #block} puts pseudo-header fields first. */
    static byte[] literals(List<String> pairs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < pairs.size(); i += 2) {
            out.write(0);
            literal(out, pairs.get(i));
            literal(out, pairs.get(i + 1));
        }
        return out.toByteArray();
    }

    private static void literal(ByteArrayOutputStream out, String text) {
        int rest = text.length() - 127;
        out.write(Math.min(127, text.length()));
        for (; rest >= 0; rest = rest < 128 ? -1 : rest >> 7) {
            out.write(rest < 128 ? rest : (rest & 127) | 128);
        }
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    FrameClient headers(int stream, boolean end, String... pairs) throws IOException {
        return send(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, block(pairs));
    }

    FrameClient request(int stream, boolean end, String method, String path, String... more) throws IOException {
        String[] pairs = new String[8 + more.length];
        pairs[0] = ":method";
        pairs[1] = method;
        pairs[2] = ":scheme";
        pairs[3] = socket instanceof SSLSocket ? "https" : "http";
        pairs[4] = ":authority";
        pairs[5] = "a.test";
        pairs[6] = ":path";
        pairs[7] = path;
        System.arraycopy(more, 0, pairs, 8, more.length);
        return headers(stream, end, pairs);
    }

    FrameClient data(int stream, boolean end, String text) throws IOException {
        return send(DATA, end ? END_STREAM : 0, stream, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    FrameClient reset(int stream, Http2Error code) throws IOException {
        return send(RST_STREAM, 0, stream, integer((int) code.code()));
    }

    FrameClient windowUpdate(int stream, int increment) throws IOException {
        return send(WINDOW_UPDATE, 0, stream, integer(increment));
    }

    static byte[] integer(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    /** The next frame, or null at the end of the connection. */
    @Nullable Frame next() throws IOException {
        try {
            int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            byte[] payload = new byte[length];
            in.readFully(payload);
            return new Frame(type, flags, stream, payload);
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    Http2Headers fields(Frame frame) {
        try {
            return decoder.decodeHeaders(frame.stream(), Unpooled.wrappedBuffer(frame.payload()));
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The next frame of this type; others are thrown away. */
    Frame await(int type) throws IOException {
        for (Frame frame = next(); frame != null; frame = next()) {
            if (frame.type() == type) {
                return frame;
            }
        }
        throw new EOFException("closed before a frame of type " + type);
    }

    /** All that comes on a stream, until it ends, is reset, or the connection does. */
    Answer answer(int stream) throws IOException {
        List<Integer> interim = new ArrayList<>();
        Http2Headers head = null;
        Http2Headers trailers = null;
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (Frame frame = next(); frame != null; frame = next()) {
            if (frame.type() == GOAWAY) {
                return answer(interim, head, body, trailers, false, frame.code());
            }
            if (frame.type() == HEADERS && frame.stream() != stream) {
                fields(frame);
            }
            if (frame.stream() != stream) {
                continue;
            }
            if (frame.type() == HEADERS) {
                Http2Headers fields = fields(frame);
                if (head != null) {
                    trailers = fields;
                } else if (fields.status().charAt(0) == '1') {
                    interim.add(Integer.valueOf(fields.status().toString()));
                } else {
                    head = fields;
                }
            } else if (frame.type() == DATA) {
                body.writeBytes(frame.payload());
            } else if (frame.type() == RST_STREAM) {
                return answer(interim, head, body, trailers, false, frame.code());
            }
            if (frame.ends()) {
                return answer(interim, head, body, trailers, true, null);
            }
        }
        return answer(interim, head, body, trailers, false, null);
    }

    private static Answer answer(
            List<Integer> interim,
            @Nullable Http2Headers head,
            ByteArrayOutputStream body,
            @Nullable Http2Headers trailers,
            boolean ended,
            @Nullable Http2Error reset) {
        return new Answer(interim, head, body.toString(StandardCharsets.ISO_8859_1), trailers, ended, reset);
    }

    /** Reads to the end of the connection; the result is the last GOAWAY, or null. */
    @Nullable Frame end() throws IOException {
        Frame last = null;
        for (Frame frame = next(); frame != null; frame = next()) {
            if (frame.type() == GOAWAY) {
                last = frame;
            }
        }
        return last;
    }

    Socket socket() {
        return socket;
    }

    DataInputStream in() {
        return in;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        encoder.close();
    }
}

package dev.sallyport.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** WebSocket frames (RFC 6455, 5), written and read by hand. */
public final class WebSocketFrames {

    public static final int CONTINUATION = 0;
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;
    public static final int FIN = 0x80;
    public static final int RSV1 = 0x40;

    /** The key of the RFC's own example. */
    public static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final byte[] MASK = {0x11, 0x22, 0x33, 0x44};

    private WebSocketFrames() {}

    /** A frame as it came, unmasked. {@code first} is its first byte. */
    public record Frame(int first, boolean masked, byte[] payload) {

        public int opcode() {
            return first & 0x0f;
        }

        public boolean fin() {
            return (first & FIN) != 0;
        }

        public String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    /** A client's request that opens a WebSocket. */
    public static String opening(String path, String host, String... more) {
        return Wire.lines(
                        "GET " + path + " HTTP/1.1",
                        "Host: " + host,
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Key: " + KEY,
                        "Sec-WebSocket-Version: 13")
                + (more.length == 0 ? "" : Wire.lines(more))
                + "\r\n";
    }

    /** An origin's answer to this request head. */
    public static String agreement(String requestHead, String... more) {
        return Wire.lines(
                        "HTTP/1.1 101 Switching Protocols",
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Accept: " + accept(Wire.field(requestHead, "Sec-WebSocket-Key")))
                + (more.length == 0 ? "" : Wire.lines(more))
                + "\r\n";
    }

    public static String accept(String key) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1")
                            .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                                    .getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** An origin's script: agrees, and echoes every message, unmasked, until it receives a close frame. */
    public static void echo(Wire peer) throws IOException {
        peer.send(agreement(peer.readHead()));
        while (true) {
            Frame frame = read(peer);
            int opcode = frame.opcode() == PING ? PONG : frame.opcode();
            peer.send(frame((frame.first() & 0xf0) | opcode, frame.payload(), false));
            if (opcode == CLOSE) {
                peer.socket().shutdownOutput();
                peer.readToEnd();
                return;
            }
        }
    }

    public static byte[] text(String text, boolean masked) {
        return frame(FIN | TEXT, text.getBytes(StandardCharsets.UTF_8), masked);
    }

    public static byte[] close(int code, boolean masked) {
        return frame(FIN | CLOSE, new byte[] {(byte) (code >> 8), (byte) code}, masked);
    }

    public static byte[] frame(int first, byte[] payload, boolean masked) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int mask = masked ? 0x80 : 0;
        out.write(first);
        if (payload.length < 126) {
            out.write(mask | payload.length);
        } else if (payload.length < 65536) {
            out.write(mask | 126);
            out.write(payload.length >> 8);
            out.write(payload.length);
        } else {
            out.write(mask | 127);
            for (int shift = 56; shift >= 0; shift -= 8) {
                out.write((int) ((long) payload.length >> shift));
            }
        }
        if (masked) {
            out.writeBytes(MASK);
        }
        for (int i = 0; i < payload.length; i++) {
            out.write(masked ? payload[i] ^ MASK[i & 3] : payload[i]);
        }
        return out.toByteArray();
    }

    public static Frame read(Wire wire) throws IOException {
        int first = next(wire);
        int second = next(wire);
        long length = second & 0x7f;
        int more = length == 126 ? 2 : length == 127 ? 8 : 0;
        for (int i = 0; i < more; i++) {
            length = (i == 0 ? 0 : length << 8) | next(wire);
        }
        byte[] mask = (second & 0x80) != 0 ? wire.in().readNBytes(4) : new byte[4];
        byte[] payload = wire.in().readNBytes(Math.toIntExact(length));
        if (payload.length < length) {
            throw new EOFException("closed in the middle of a frame");
        }
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i & 3];
        }
        return new Frame(first, (second & 0x80) != 0, payload);
    }

    private static int next(Wire wire) throws IOException {
        int next = wire.in().read();
        if (next < 0) {
            throw new EOFException("closed before a frame");
        }
        return next;
    }
}

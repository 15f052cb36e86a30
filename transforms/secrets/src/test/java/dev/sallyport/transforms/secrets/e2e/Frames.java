package dev.sallyport.transforms.secrets.e2e;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** WebSocket frames of a server (RFC 6455, 5), by hand. */
final class Frames {

    private static final int FIN = 0x80;
    private static final int TEXT = 1;
    private static final int CLOSE = 8;

    private Frames() {}

    /** What an origin answers to this head of a request. */
    static String agreement(String requestHead) throws NoSuchAlgorithmException {
        String key = Peer.field(requestHead, "Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        byte[] hash = MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.US_ASCII));
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                + Base64.getEncoder().encodeToString(hash) + "\r\n\r\n";
    }

    /** A text message in two frames. */
    static byte[] text(String text) {
        byte[] payload = text.getBytes(StandardCharsets.UTF_8);
        int half = payload.length / 2;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frame(TEXT, payload, 0, half, out);
        frame(FIN, payload, half, payload.length - half, out);
        return out.toByteArray();
    }

    /** A frame of its own. */
    static byte[] whole(int opcode, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frame(FIN | opcode, payload, 0, payload.length, out);
        return out.toByteArray();
    }

    static byte[] close() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frame(FIN | CLOSE, new byte[] {3, (byte) 0xe8}, 0, 2, out);
        return out.toByteArray();
    }

    private static void frame(int first, byte[] payload, int from, int length, ByteArrayOutputStream out) {
        out.write(first);
        if (length < 126) {
            out.write(length);
        } else {
            out.write(126);
            out.write(length >> 8);
            out.write(length);
        }
        out.write(payload, from, length);
    }

    /** One text message in one frame. */
    static String readText(Peer from) throws IOException {
        String head = from.read(2);
        if (head.charAt(0) != (FIN | TEXT)) {
            throw new AssertionError("a frame that begins with " + (int) head.charAt(0));
        }
        int length = head.charAt(1);
        if (length == 126) {
            String more = from.read(2);
            length = more.charAt(0) << 8 | more.charAt(1);
        }
        return from.read(length);
    }
}

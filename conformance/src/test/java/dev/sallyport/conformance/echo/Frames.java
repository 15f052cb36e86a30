package dev.sallyport.conformance.echo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Frames of WebSockets (RFC 6455, 5; RFC 7692), by hand. Payloads are Latin-1. */
final class Frames {

    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    private static final int FIN = 0x80;
    private static final int DEFLATED = 0x40;
    private static final int MASKED = 0x80;

    private Frames() {}

    /** An origin's answer to this request head. */
    static String agreement(String head, String more) {
        String key = Line.field(head, "Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.US_ASCII));
            return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + more
                    + "Sec-WebSocket-Accept: " + Base64.getEncoder().encodeToString(hash) + "\r\n\r\n";
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("SHA-1", e);
        }
    }

    /** Whether the client offers compression. */
    static boolean compresses(String head) {
        return Line.field(head, "Sec-WebSocket-Extensions").contains("permessage-deflate");
    }

    static String whole(int opcode, String payload) {
        return frame(FIN | opcode, payload);
    }

    /** A message in two frames, with a ping between them. */
    static String halves(int opcode, String payload) {
        int half = payload.length() / 2;
        return frame(opcode, payload.substring(0, half)) + whole(PING, "between") + frame(FIN, payload.substring(half));
    }

    /** A message that is compressed. */
    static String deflated(int opcode, String payload) {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        try {
            deflater.setInput(Line.bytes(payload));
            byte[] out = new byte[2 * payload.length() + 64];
            int length = deflater.deflate(out, 0, out.length, Deflater.SYNC_FLUSH);
            return frame(FIN | DEFLATED | opcode, Line.text(Arrays.copyOf(out, length - 4)));
        } finally {
            deflater.end();
        }
    }

    static String close(String reason) {
        return whole(CLOSE, "\u0003\u00e8" + reason);
    }

    /** One of a client, whose mask is zero. */
    static String masked(int opcode, String payload) {
        String frame = whole(opcode, payload);
        int length = frame.length() - payload.length();
        return "" + frame.charAt(0) + (char) (frame.charAt(1) | MASKED) + frame.substring(2, length) + "\0\0\0\0"
                + payload;
    }

    private static String frame(int first, String payload) {
        int length = payload.length();
        String size =
                length < 126 ? "" + (char) length : "" + (char) 126 + (char) (length >> 8) + (char) (length & 255);
        return "" + (char) first + size + payload;
    }

    /** The payload of the next frame, unmasked. */
    static String read(Line from) throws IOException {
        String head = from.read(2);
        int length = head.charAt(1) & 127;
        if (length == 126) {
            String size = from.read(2);
            length = size.charAt(0) << 8 | size.charAt(1);
        }
        String mask = (head.charAt(1) & MASKED) == 0 ? "\0\0\0\0" : from.read(4);
        byte[] payload = Line.bytes(from.read(length));
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= (byte) mask.charAt(i % 4);
        }
        return Line.text((head.charAt(0) & DEFLATED) == 0 ? payload : inflated(payload));
    }

    /** The payloads of all frames, one behind the other as messages are put together; control frames at the end. */
    static String readAll(Line from) throws IOException {
        StringBuilder data = new StringBuilder();
        StringBuilder control = new StringBuilder();
        for (String head = from.peek(2); head.length() == 2; head = from.peek(2)) {
            int opcode = head.charAt(0) & 15;
            (opcode < CLOSE ? data : control).append(read(from));
            if (opcode == CLOSE) {
                break;
            }
        }
        return data.append('\n').append(control).toString();
    }

    private static byte[] inflated(byte[] payload) throws IOException {
        Inflater inflater = new Inflater(true);
        try {
            byte[] whole = Arrays.copyOf(payload, payload.length + 4);
            whole[whole.length - 1] = (byte) 0xff;
            whole[whole.length - 2] = (byte) 0xff;
            inflater.setInput(whole);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] piece = new byte[4096];
            for (int length = inflater.inflate(piece); length > 0; length = inflater.inflate(piece)) {
                out.write(piece, 0, length);
            }
            return out.toByteArray();
        } catch (DataFormatException e) {
            throw new IOException(e);
        } finally {
            inflater.end();
        }
    }
}

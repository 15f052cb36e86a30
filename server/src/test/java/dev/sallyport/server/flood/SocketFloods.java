package dev.sallyport.server.flood;

import static dev.sallyport.server.flood.Attacker.head;
import static dev.sallyport.server.flood.Attacker.send;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;

/** Those of WebSockets, to an origin that takes nothing. */
final class SocketFloods {

    private static final int FIN = 0x80;
    private static final int DEFLATED = 0x40;
    private static final int TEXT = 1;
    private static final int MEBIBYTE = 1 << 20;

    private SocketFloods() {}

    static List<Flood> all() {
        return List.of(
                new Flood(
                        "messages that grow",
                        (attacker, much) ->
                                sent(attacker, 10 * much, frame(FIN | TEXT, bytes(Victim.PLACEHOLDER.repeat(8000))))),
                new Flood(
                        "messages that inflate",
                        (attacker, much) -> sent(attacker, 5 * much, frame(FIN | DEFLATED | TEXT, deflated(60)))),
                new Flood("messages that do not end", (attacker, much) -> {
                    ByteArrayOutputStream message = new ByteArrayOutputStream();
                    message.writeBytes(frame(TEXT, new byte[0]));
                    for (int i = 0; i < 8; i++) {
                        message.writeBytes(frame(0, bytes("x".repeat(MEBIBYTE))));
                    }
                    return sent(attacker, 10 * much, message.toByteArray());
                }),
                new Flood("frames of one byte", (attacker, much) -> {
                    ByteArrayOutputStream message = new ByteArrayOutputStream();
                    message.writeBytes(frame(TEXT, new byte[0]));
                    for (int i = 0; i < 40_000; i++) {
                        message.writeBytes(frame(0, new byte[] {'x'}));
                    }
                    return sent(attacker, 10 * much, message.toByteArray());
                }));
    }

    /** Whole messages of one byte. */
    static long tinyMessages(Attacker attacker, int times) throws IOException {
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        for (int i = 0; i < 200_000; i++) {
            messages.writeBytes(frame(FIN | TEXT, new byte[] {'x'}));
        }
        return sent(attacker, times, messages.toByteArray());
    }

    private static long sent(Attacker attacker, int times, byte[] messages) throws IOException {
        for (int i = 0; i < times; i++) {
            Attacker.pour(opened(attacker, "/socket"), messages);
        }
        return times;
    }

    /** A WebSocket. */
    static Socket opened(Attacker attacker, String path) throws IOException {
        Socket socket = attacker.http();
        send(
                socket,
                "GET " + path + " HTTP/1.1\r\nHost: " + attacker.host("secret")
                        + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                        + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
        head(socket);
        return socket;
    }

    /** Masked with nothing. */
    private static byte[] frame(int first, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(14 + payload.length);
        frame.put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else {
            frame.put((byte) 0xFF).putLong(payload.length);
        }
        frame.putInt(0).put(payload).flip();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    /** So many mebibytes, a thousandth of them on the wire (RFC 7692, 7.2.1). */
    private static byte[] deflated(int mebibytes) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = bytes("x".repeat(MEBIBYTE));
            byte[] buffer = new byte[1 << 16];
            for (int i = 0; i < mebibytes; i++) {
                deflater.setInput(part);
                while (!deflater.needsInput()) {
                    out.write(buffer, 0, deflater.deflate(buffer));
                }
            }
            int length = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
            while (length > 0) {
                out.write(buffer, 0, length);
                length = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
            }
            byte[] all = out.toByteArray();
            return Arrays.copyOf(all, all.length - 4);
        } finally {
            deflater.end();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

package dev.sallyport.testsupport;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Makes valid and invalid ClientHellos. */
public final class ClientHelloBuilder {

    private static final int TLS_1_2 = 0x0303;

    private final ByteArrayOutputStream extensions = new ByteArrayOutputStream();
    private int version = TLS_1_2;

    private ClientHelloBuilder() {}

    public static ClientHelloBuilder anonymous() {
        return new ClientHelloBuilder();
    }

    public static ClientHelloBuilder naming(String name) {
        return new ClientHelloBuilder().serverName(name);
    }

    public ClientHelloBuilder serverName(String name) {
        byte[] text = name.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer list = ByteBuffer.allocate(5 + text.length);
        list.putShort((short) (3 + text.length))
                .put((byte) 0)
                .putShort((short) text.length)
                .put(text);
        return extension(0, list.array());
    }

    public ClientHelloBuilder extension(int type, byte[] data) {
        ByteBuffer header = ByteBuffer.allocate(4).putShort((short) type).putShort((short) data.length);
        extensions.writeBytes(header.array());
        extensions.writeBytes(data);
        return this;
    }

    public ClientHelloBuilder ech() {
        return extension(0xfe0d, new byte[] {0, 0, 1, 0, 1, 7, 0, 0, 0, 0});
    }

    public ClientHelloBuilder version(int legacy) {
        version = legacy;
        return this;
    }

    /** Pads, with an extension for it, to a message of this many bytes, its header not counted. */
    public ClientHelloBuilder paddedTo(int bytes) {
        return extension(21, new byte[bytes - body().length - 4]);
    }

    public byte[] body() {
        ByteBuffer body = ByteBuffer.allocate(43 + extensions.size());
        body.putShort((short) version)
                .put(new byte[32])
                .put((byte) 0)
                .putShort((short) 2)
                .putShort((short) 0x1301)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) extensions.size())
                .put(extensions.toByteArray());
        return body.array();
    }

    /** In records of the greatest length. */
    public byte[] bytes() {
        return records(16 * 1024);
    }

    /** In records with this many bytes each. */
    public byte[] records(int length) {
        return records(message(1, body()), length);
    }

    public static byte[] message(int type, byte[] body) {
        ByteBuffer message = ByteBuffer.allocate(4 + body.length);
        message.putInt(type << 24 | body.length).put(body);
        return message.array();
    }

    public static byte[] records(byte[] message, int length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < message.length; at += length) {
            int part = Math.min(length, message.length - at);
            out.writeBytes(new byte[] {22, 3, 1, (byte) (part >> 8), (byte) part});
            out.write(message, at, part);
        }
        return out.toByteArray();
    }
}

package dev.sallyport.server.flood;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The first message of TLS (RFC 8446, 4.1.2). */
final class Hello {

    private static final int MOST = 60_000;

    private Hello() {}

    /** One that is whole. */
    static byte[] naming(String host) {
        byte[] name = host.getBytes(StandardCharsets.US_ASCII);
        int extension = 9 + name.length;
        int length = 2 + 32 + 1 + 4 + 2 + 2 + extension;
        return ByteBuffer.allocate(9 + length)
                .put(new byte[] {22, 3, 1})
                .putShort((short) (4 + length))
                .putInt(1 << 24 | length)
                .putShort((short) 0x0303)
                .put(new byte[33])
                .putShort((short) 2)
                .putShort((short) 0x1301)
                .put(new byte[] {1, 0})
                .putShort((short) extension)
                .putShort((short) 0)
                .putShort((short) (5 + name.length))
                .putShort((short) (3 + name.length))
                .put((byte) 0)
                .putShort((short) name.length)
                .put(name)
                .array();
    }

    /** Nearly as much as there may be, in records of 16 KiB. */
    static byte[] unfinished() {
        ByteBuffer all = ByteBuffer.allocate(MOST);
        boolean first = true;
        while (all.remaining() > 16_389) {
            all.put(new byte[] {22, 3, 1}).putShort((short) 16_384);
            all.put(new byte[16_384]);
            if (first) {
                all.putInt(5, 1 << 24 | MOST);
                first = false;
            }
        }
        byte[] bytes = new byte[all.position()];
        all.flip().get(bytes);
        return bytes;
    }
}

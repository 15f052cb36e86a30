package dev.sallyport.server.flood;

import dev.sallyport.testsupport.Http2Peer;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What a client of HTTP/2 sends, byte by byte. */
final class Http2 {

    private static final int CRUMB = 3900;

    private final ByteArrayOutputStream all = new ByteArrayOutputStream();
    private final String crumb;
    private boolean named;

    /** Begins, and takes no answer longer than this. */
    Http2(int window) {
        this(window, "c");
    }

    /** @param crumb what the crumbs of its cookies are made of */
    Http2(int window, String crumb) {
        this.crumb = crumb.repeat(CRUMB / crumb.length() + 1).substring(0, CRUMB);
        all.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(
                Http2Peer.SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6).putShort((short) 4).putInt(window).array());
        frame(
                Http2Peer.SETTINGS,
                Http2Peer.ACK,
                0,
                new byte[0]); // or the connection ends for want of it, with a record of its own
    }

    Http2 frame(int type, int flags, int stream, byte[] payload) {
        all.writeBytes(Http2Peer.frame(type, flags, stream, payload));
        return this;
    }

    /** {@code GET /} of a host, or a POST, which has a cookie of this many crumbs; a crumb is one byte after the first. */
    byte[] head(String method, String host, int crumbs) {
        return head(method, host, "/", crumbs);
    }

    /** The same, of a path of a few characters. */
    byte[] head(String method, String host, String path, int crumbs) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(new byte[] {(byte) (method.equals("POST") ? 0x83 : 0x82), (byte) 0x86, 0x04});
        block.write(path.length());
        block.writeBytes(path.getBytes(StandardCharsets.US_ASCII));
        byte[] references = new byte[crumbs];
        Arrays.fill(references, (byte) 0xBE);
        if (named) {
            block.write(0xBF);
            block.writeBytes(references);
            return block.toByteArray();
        }
        named = true;
        block.write(0x41);
        block.write(host.length());
        block.writeBytes(host.getBytes(StandardCharsets.US_ASCII));
        block.write(0x60);
        block.writeBytes(new byte[] {0x7F, (byte) (0x80 | ((CRUMB - 127) & 0x7F)), (byte) ((CRUMB - 127) >> 7)});
        block.writeBytes(crumb.getBytes(StandardCharsets.US_ASCII));
        block.write(references, 0, Math.max(0, crumbs - 1));
        return block.toByteArray();
    }

    byte[] bytes() {
        return all.toByteArray();
    }
}

package dev.sallyport.transforms.sigv4auth;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Contents in {@code aws-chunked}, as clients frame them, with signatures that are worth nothing. */
final class Chunks {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final String signature;

    /** @param signed whether chunks have signatures */
    Chunks(boolean signed) {
        signature = signed ? ";chunk-signature=" + Workload.FAKE_SIGNATURE : "";
    }

    Chunks chunk(byte[] data) {
        text(Integer.toHexString(data.length) + signature + "\r\n");
        bytes.writeBytes(data);
        return data.length == 0 ? this : text("\r\n");
    }

    Chunks chunk(String data) {
        return chunk(data.getBytes(StandardCharsets.UTF_8));
    }

    /** Pieces of random size, and the last chunk. */
    Chunks chunks(byte[] content, int most, Random random) {
        for (int at = 0; at < content.length; ) {
            int length = Math.min(content.length - at, 1 + random.nextInt(most));
            byte[] piece = new byte[length];
            System.arraycopy(content, at, piece, 0, length);
            chunk(piece);
            at += length;
        }
        return chunk(new byte[0]);
    }

    Chunks text(String raw) {
        bytes.writeBytes(raw.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}

package dev.sallyport.core.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The key of an opening handshake, and the value that proves that the server has read it (RFC 6455, 4.2.2). */
public final class WebSocketKey {

    /** The field in which a client sends the key. */
    public static final String FIELD = "Sec-WebSocket-Key";

    /** The field in which a server sends the proof. */
    public static final String ACCEPT = "Sec-WebSocket-Accept";

    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private WebSocketKey() {}

    /** The proof for a key. */
    public static String acceptance(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder().encodeToString(sha1.digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}

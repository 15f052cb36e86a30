package dev.sallyport.toolkit.headers;

import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestHead;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * Recognises the request that opens a WebSocket (RFC 6455, 4.1; RFC 8441, 5). The engine upgrades no other requests, so
 * a transform that asks {@link #in} misses none. Pure functions.
 */
public final class WebSocketOpening {

    private static final String PREFIX = "sec-websocket-";
    private static final String VERSION = "Sec-WebSocket-Version";
    private static final String KEY = "Sec-WebSocket-Key";
    private static final String SPOKEN = "13";
    private static final int KEY_BYTES = 16;
    private static final int KEY_LENGTH = 24;

    private WebSocketOpening() {}

    /**
     * Whether messages may follow this head. Also true of some requests that do not ask for an upgrade, which therefore
     * get none.
     */
    public static boolean in(RequestHead head) {
        return head.method().equals("GET") && head.headers().contains(VERSION);
    }

    /**
     * The problem with a request that asks for a WebSocket, or empty for none. To be called before hop-by-hop fields
     * are removed: a field of the handshake that {@code Connection} names would be lost on one side only.
     *
     * @param keyed whether the client's protocol has a key: HTTP/1.1 does, HTTP/2 does not
     */
    public static String fault(Headers headers, boolean keyed) {
        if (!headers.all(VERSION).equals(List.of(SPOKEN))) {
            return "a WebSocket handshake without " + VERSION + ": 13";
        }
        if (keyed && !isKey(headers.all(KEY))) {
            return "a WebSocket handshake without a valid " + KEY + " (expected: one, of 16 bytes in Base64)";
        }
        for (String line : headers.all("Connection")) {
            for (String name : line.split(",", -1)) {
                if (name.strip().toLowerCase(Locale.ROOT).startsWith(PREFIX)) {
                    return "a WebSocket handshake whose Connection field names a field of the handshake";
                }
            }
        }
        return "";
    }

    private static boolean isKey(List<String> lines) {
        if (lines.size() != 1 || lines.getFirst().length() != KEY_LENGTH) {
            return false;
        }
        try {
            return Base64.getDecoder().decode(lines.getFirst()).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http.WebSocketKey;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.websocket.WebSocketExtensions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The opening handshake of a WebSocket, as it goes to an origin over HTTP/1.1 (RFC 6455, 4). A client of HTTP/2 asks in
 * another way (RFC 8441), without a key: then the key is the proxy's own, and the client never hears of it. Where the
 * origin speaks HTTP/2 alone, the stream to it translates, there and back.
 */
final class WebSocketHandshake {

    static final String TOKEN = "websocket";

    private static final int KEY_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final boolean clientHasKey;
    private String key = "";

    /** Whether the origin has turned HTTP/1.1 down, over which an upgrade is asked for first. */
    private boolean onlyHttp2;

    /** @param clientHasKey whether the client's protocol has a key of its own: HTTP/1.1 does */
    WebSocketHandshake(boolean clientHasKey) {
        this.clientHasKey = clientHasKey;
    }

    /** The way on which the origin is asked: over HTTP/1.1, unless it has turned that down. */
    Route route(Route route) {
        return onlyHttp2 ? route : route.overHttp1();
    }

    /** The origin has turned HTTP/1.1 down; whether it is still to be asked over HTTP/2. */
    boolean overHttp2Alone() {
        boolean first = !onlyHttp2;
        onlyHttp2 = true;
        return first;
    }

    /**
     * Adds what asks the origin for the upgrade. The head may be sent more than once.
     *
     * @param readable whether the messages must be readable for the proxy
     */
    void ask(RequestMessage head, boolean readable) {
        HeaderBlock headers = head.headers();
        if (readable) {
            WebSocketExtensions.offerUnderstood(headers);
        }
        if (!clientHasKey) {
            byte[] bytes = new byte[KEY_BYTES];
            RANDOM.nextBytes(bytes);
            headers.replace(WebSocketKey.FIELD, List.of(Base64.getEncoder().encodeToString(bytes)));
        }
        String sent = headers.first(WebSocketKey.FIELD);
        key = sent == null ? "" : sent.strip();
        headers.replace("Connection", List.of("Upgrade"));
        headers.replace("Upgrade", List.of(TOKEN));
    }

    /** What is wrong with a 101 head, hop-by-hop fields still in it, or null when the origin has agreed. */
    @Nullable String fault(ResponseMessage head) {
        HeaderBlock headers = head.headers();
        String upgrade = headers.first("Upgrade");
        if (headers.count("Upgrade") != 1 || upgrade == null || !upgrade.strip().equalsIgnoreCase(TOKEN)) {
            return "the origin switches to another protocol than was asked for";
        }
        if (!headers.hasToken("Connection", "upgrade")) {
            return "the origin's 101 does not say Connection: Upgrade";
        }
        String accept = headers.first(WebSocketKey.ACCEPT);
        if (headers.count(WebSocketKey.ACCEPT) != 1
                || accept == null
                || !accept.strip().equals(WebSocketKey.acceptance(key))) {
            return "the origin's " + WebSocketKey.ACCEPT + " does not belong to the request";
        }
        return null;
    }

    /** Removes the fields that concern only the proxy and the origin. */
    void conclude(ResponseMessage head) {
        if (!clientHasKey) {
            head.headers().removeAll(WebSocketKey.ACCEPT);
        }
    }
}

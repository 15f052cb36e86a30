package dev.sallyport.core.net.request;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.headers.WebSocketOpening;
import org.jspecify.annotations.Nullable;

/** Which requests may not open a WebSocket, over HTTP/1.1 (RFC 6455, 4.1) and over HTTP/2 (RFC 8441). */
public final class WebSocketOpenings {

    /** For a handshake over HTTP/1.1 that is not a GET request, or has a body. */
    public static final Refusal NO_PLAIN_GET =
            refused("a WebSocket handshake that is not a GET request, or has a body");

    private static final int BAD_REQUEST = 400;

    private WebSocketOpenings() {}

    /**
     * Why this must not open a WebSocket, or null when it may. Before hop-by-hop fields are removed.
     *
     * @param keyed whether {@code Sec-WebSocket-Key} is part of the handshake: over HTTP/1.1
     */
    public static @Nullable Refusal fault(HeaderBlock headers, boolean keyed) {
        String fault = WebSocketOpening.fault(headers, keyed);
        return fault.isEmpty() ? null : refused(fault);
    }

    private static Refusal refused(String fault) {
        return new Refusal(BAD_REQUEST, "bad_websocket_handshake", fault, "http_request_error");
    }
}

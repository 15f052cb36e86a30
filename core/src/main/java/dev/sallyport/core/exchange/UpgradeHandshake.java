package dev.sallyport.core.exchange;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.upstream.Route;
import org.jspecify.annotations.Nullable;

/** How an exchange asks its origin to switch to another protocol (RFC 9110, 7.8). Confined to the exchange's loop. */
sealed interface UpgradeHandshake permits WebSocketHandshake, ByteHandshake {

    /** Whether frames of WebSocket follow (RFC 6455, 5); otherwise bytes of which the proxy knows nothing. */
    boolean framed();

    /** Whether a request with this method, which transforms may have changed, still asks. */
    boolean asksWith(String method);

    /** The protocol for the request to the origin. */
    Route route(Route route);

    /** Records that the origin refused HTTP/1.1; returns whether to try HTTP/2. */
    boolean overHttp2Alone();

    /**
     * Adds the fields that request the upgrade. The head may be sent more than once.
     *
     * @param readable whether the messages must be readable for the proxy
     */
    void ask(RequestMessage head, boolean readable);

    /** The fault of a 101 head, which still has its hop-by-hop fields, or null when the origin has agreed. */
    @Nullable String fault(ResponseMessage head);

    /** Removes the fields that concern only the proxy and the origin. */
    void conclude(ResponseMessage head);

    /** Why a 101 head does not agree to a protocol; null when it does. */
    static @Nullable String disagreement(ResponseMessage head, String protocol) {
        String upgrade = head.headers().first("Upgrade");
        if (head.headers().count("Upgrade") != 1
                || upgrade == null
                || !upgrade.strip().equalsIgnoreCase(protocol)) {
            return "the origin switches to another protocol than was asked for";
        }
        return head.headers().hasToken("Connection", "upgrade")
                ? null
                : "the origin's 101 does not say Connection: Upgrade";
    }
}

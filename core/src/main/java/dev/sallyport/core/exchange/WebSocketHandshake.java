package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.http.WebSocketKey;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.websocket.WebSocketExtensions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The opening handshake of a WebSocket, as sent to an origin over HTTP/1.1 (RFC 6455, 4). An HTTP/2 client sends no key
 * (RFC 8441): the proxy then makes one, which the client never sees. If the origin speaks only HTTP/2, the stream to it
 * translates in both directions.
 */
final class WebSocketHandshake implements UpgradeHandshake {

    private static final int KEY_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final boolean clientHasKey;
    private String key = "";

    /** Whether the origin has refused HTTP/1.1, over which the proxy requests an upgrade first. */
    private boolean onlyHttp2;

    /** @param clientHasKey whether the client's protocol has a key of its own: HTTP/1.1 does */
    WebSocketHandshake(boolean clientHasKey) {
        this.clientHasKey = clientHasKey;
    }

    @Override
    public boolean framed() {
        return true;
    }

    @Override
    public boolean asksWith(String method) {
        return method.equals("GET");
    }

    /** HTTP/1.1, unless the origin has refused it. */
    @Override
    public Route route(Route route) {
        return onlyHttp2 ? route : route.overHttp1();
    }

    @Override
    public boolean overHttp2Alone() {
        boolean first = !onlyHttp2;
        onlyHttp2 = true;
        return first;
    }

    @Override
    public void ask(RequestMessage head, boolean readable) {
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
        headers.replace("Upgrade", List.of(UpgradeTokens.WEBSOCKET));
    }

    @Override
    public @Nullable String fault(ResponseMessage head) {
        String disagreement = UpgradeHandshake.disagreement(head, UpgradeTokens.WEBSOCKET);
        if (disagreement != null) {
            return disagreement;
        }
        HeaderBlock headers = head.headers();
        String accept = headers.first(WebSocketKey.ACCEPT);
        if (headers.count(WebSocketKey.ACCEPT) != 1
                || accept == null
                || !accept.strip().equals(WebSocketKey.acceptance(key))) {
            return "the origin's " + WebSocketKey.ACCEPT + " does not belong to the request";
        }
        return null;
    }

    @Override
    public void conclude(ResponseMessage head) {
        if (!clientHasKey) {
            head.headers().removeAll(WebSocketKey.ACCEPT);
        }
    }
}

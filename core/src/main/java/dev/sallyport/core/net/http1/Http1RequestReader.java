package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.net.request.DecodedRequest.Content;
import dev.sallyport.core.net.request.DecodedRequest.Takeover;
import dev.sallyport.core.net.request.DecodedRequest.Terms;
import dev.sallyport.core.net.request.DestinationCache;
import dev.sallyport.core.net.request.DestinationResolver;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.PartialRequest;
import dev.sallyport.core.net.request.ProxyAuthenticator;
import dev.sallyport.core.net.request.RefusedException;
import dev.sallyport.core.net.request.RequestHeadRules;
import dev.sallyport.core.net.request.RequestTarget;
import dev.sallyport.core.net.request.WebSocketOpenings;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Makes a request of a decoded head: checks framing and target, finds the destination, removes fields of the
 * connection.
 */
public final class Http1RequestReader {

    private static final int BAD_REQUEST = 400;

    private final Ingress ingress;
    private final ProxyAuthenticator callers;
    private final DestinationCache destinations;
    private final int maxHeaders;

    public Http1RequestReader(Ingress ingress, ProxyAuthenticator callers, int maxHeaders) {
        this.ingress = ingress;
        this.callers = callers;
        this.destinations = new DestinationCache(ingress);
        this.maxHeaders = maxHeaders;
    }

    public DecodedRequest read(HttpRequest request) {
        HeaderBlock headers = (HeaderBlock) request.headers();
        boolean http11 = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        String method = request.method().name();
        long length;
        try {
            RequestHeadRules.checkFields(headers, maxHeaders);
            length = RequestHeadRules.bodyLength(headers, http11);
        } catch (RefusedException e) {
            return malformed(request, e);
        }
        boolean keepAlive =
                http11 ? !headers.hasToken("Connection", "close") : headers.hasToken("Connection", "keep-alive");
        if (method.equals("CONNECT")) {
            return connect(request.uri(), headers, http11, keepAlive, length);
        }
        RequestTarget target;
        try {
            target = RequestTarget.parse(method, request.uri());
        } catch (RefusedException e) {
            return malformed(request, e);
        }
        RequestMessage head = new RequestMessage(method, target.path(), target.query(), headers, length);
        Destination destination = null;
        Refusal refusal = null;
        Principal caller = null;
        try {
            destination = destinations.resolve(target, headers, http11);
            caller = callers.of(target.authority() != null, headers);
        } catch (RefusedException e) {
            destination = destination == null ? e.destination() : destination;
            refusal = e.refusal();
            caller = callers.ofRefused(target.authority() != null, headers);
        }
        String upgrade = http11 ? upgrade(headers) : null;
        if (refusal == null && UpgradeTokens.WEBSOCKET.equals(upgrade)) {
            refusal = method.equals("GET") && length == 0
                    ? WebSocketOpenings.fault(headers, true)
                    : WebSocketOpenings.NO_PLAIN_GET;
        }
        HopByHop.strip(headers);
        return new DecodedRequest(
                head,
                destination,
                caller,
                refusal,
                upgrade == null ? null : new Takeover.Upgrade(upgrade),
                terms(
                        http11,
                        keepAlive && (refusal == null || refusal.status() != BAD_REQUEST),
                        headers.contains("TE")),
                Content.of(length == 0));
    }

    private static Terms terms(boolean http11, boolean keepAlive, boolean acceptsTrailers) {
        return http11 ? Terms.http11(keepAlive, acceptsTrailers) : Terms.http10(keepAlive);
    }

    private DecodedRequest malformed(HttpRequest request, RefusedException why) {
        return new PartialRequest(
                        request.method().name(),
                        request.uri(),
                        request.headers().get("Host"))
                .refused(ingress, why.refusal())
                .of(callers.ofRefused(!request.uri().startsWith("/"), (HeaderBlock) request.headers()));
    }

    private DecodedRequest connect(String target, HeaderBlock headers, boolean http11, boolean keepAlive, long length) {
        RequestMessage head = new RequestMessage("CONNECT", "", null, headers, 0);
        Destination destination = null;
        Refusal refusal = null;
        Principal caller = null;
        try {
            if (length != 0) {
                throw RefusedException.badRequest("a CONNECT request with a body");
            }
            if (headers.count("Host") > 1) {
                throw RefusedException.badRequest("there is more than one Host");
            }
            destination = DestinationResolver.connectTarget(target);
            if (!ingress.opensTunnels()) {
                refusal = new Refusal(405, "method_not_allowed", "CONNECT is not served here", "http_request_denied");
                caller = callers.ofRefused(true, headers);
            } else {
                caller = callers.of(true, headers);
            }
        } catch (RefusedException e) {
            refusal = e.refusal();
            caller = callers.ofRefused(true, headers);
        }
        HopByHop.strip(headers);
        // What follows a refused CONNECT may already be meant for the tunnel: it must not be read as a request.
        return new DecodedRequest(
                head,
                destination,
                caller,
                refusal,
                new Takeover.Tunnel(target),
                terms(http11, keepAlive && refusal == null, false),
                Content.of(length == 0));
    }

    /**
     * The protocol to which the client asks to switch; all that it names, if there are several, which no policy lists.
     * In HTTP/1.0 the field is ignored (RFC 9110, 7.8), and so is one that {@code Connection} does not name.
     */
    private static @Nullable String upgrade(HeaderBlock headers) {
        int at = headers.indexOf("Upgrade", 0);
        if (at < 0 || !headers.hasToken("Connection", "upgrade")) {
            return null;
        }
        String named = String.join(", ", headers.all("Upgrade"));
        return named.equalsIgnoreCase(UpgradeTokens.WEBSOCKET) ? UpgradeTokens.WEBSOCKET : named;
    }
}

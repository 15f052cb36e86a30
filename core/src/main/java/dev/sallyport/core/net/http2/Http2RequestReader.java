package dev.sallyport.core.net.http2;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.http2.FieldSection;
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
import dev.sallyport.toolkit.headers.FieldSyntax;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a field section into a request: pseudo-header fields (RFC 9113, 8.3), length, target, destination. The
 * resulting head is an HTTP/1.1 head with a Host line; an extended CONNECT (RFC 8441) becomes the GET that upgrades.
 * {@link DecodedRequest#malformed} tells a malformed request; other refusals leave the stream intact.
 */
public final class Http2RequestReader {

    private static final Refusal NO_CONNECT =
            new Refusal(405, "method_not_allowed", "CONNECT is not served over HTTP/2", "http_request_denied");

    private final Ingress ingress;
    private final ProxyAuthenticator callers;
    private final DestinationCache destinations;
    private final int maxHeaders;

    public Http2RequestReader(Ingress ingress, ProxyAuthenticator callers, int maxHeaders) {
        this.ingress = ingress;
        this.callers = callers;
        this.destinations = new DestinationCache(ingress);
        this.maxHeaders = maxHeaders;
    }

    public DecodedRequest read(FieldSection section, boolean end) {
        if (section.tooLarge()) {
            return refused(section, RequestHeadRules.headTooLarge("the header fields are too large"), end);
        }
        try {
            checkPseudo(section);
            return understood(section, end);
        } catch (RefusedException e) {
            return outline(section).refused(ingress, e.refusal()).of(callers.ofRefused(false, section.fields()));
        }
    }

    /** Why a section cannot be the trailers of a request; empty when it can. */
    static String faultOfTrailers(FieldSection section, boolean end, ProxyLimits limits) {
        if (!end) {
            return "there are header fields in the middle of the body";
        }
        if (section.hasPseudo()) {
            return "there is a pseudo-header field in the trailers";
        }
        if (section.crowdedOut()) {
            return "there is no room for the trailers";
        }
        if (section.tooLarge() || !RequestHeadRules.trailersFit(section.fields(), limits)) {
            return "the trailers are too large";
        }
        return RequestHeadRules.trailersMayStand(section.fields()) ? section.malformed() : RequestHeadRules.HEAD_ONLY;
    }

    private DecodedRequest understood(FieldSection section, boolean end) throws RefusedException {
        HeaderBlock headers = section.fields();
        String method = String.valueOf(section.method());
        String protocol = section.protocol();
        boolean connect = method.equals("CONNECT");
        headers.joinCrumbs("cookie");
        long length = length(headers, end, connect);
        try {
            RequestHeadRules.checkCount(headers, maxHeaders);
            takeAuthority(section.authority(), headers);
        } catch (RefusedException e) {
            return refused(section, e.refusal(), end);
        }
        if (connect && protocol == null) {
            Principal caller = callers.ofRefused(true, headers);
            HopByHop.strip(headers);
            RequestMessage head = new RequestMessage(method, "", null, headers, 0);
            return new DecodedRequest(
                    head, named(section.authority()), caller, NO_CONNECT, null, Terms.HTTP_2, Content.of(end));
        }
        if (protocol != null && (!protocol.equals(UpgradeTokens.WEBSOCKET) || end)) {
            return refused(
                    section,
                    new Refusal(501, "not_implemented", "the protocol is not supported", "http_request_denied"),
                    end);
        }
        return request(section, protocol == null ? method : "GET", protocol, length, end);
    }

    private DecodedRequest request(
            FieldSection section, String method, @Nullable String upgrade, long length, boolean end) {
        HeaderBlock headers = section.fields();
        RequestTarget target;
        try {
            target = target(method, String.valueOf(section.path()));
        } catch (RefusedException e) {
            return refused(section, e.refusal(), end);
        }
        RequestMessage head = new RequestMessage(method, target.path(), target.query(), headers, length);
        Destination destination = null;
        Refusal refusal = null;
        Principal caller = null;
        try {
            checkScheme(String.valueOf(section.scheme()));
            destination = destinations.resolve(target, headers, true);
            caller = callers.of(false, headers);
        } catch (RefusedException e) {
            destination = destination == null ? e.destination() : destination;
            refusal = e.refusal();
            caller = callers.ofRefused(false, headers);
        }
        refusal = upgrade == null || refusal != null ? refusal : WebSocketOpenings.fault(headers, false);
        HopByHop.strip(headers);
        return new DecodedRequest(
                head,
                destination,
                caller,
                refusal,
                upgrade == null ? null : new Takeover.Upgrade(upgrade),
                Terms.HTTP_2,
                Content.of(end));
    }

    /** The pseudo-header fields that a request needs, and no others (RFC 9113, 8.3.1 and 8.5; RFC 8441, 4). */
    private static void checkPseudo(FieldSection section) throws RefusedException {
        if (!section.malformed().isEmpty()) {
            throw RefusedException.badRequest(section.malformed());
        }
        String method = section.method();
        if (section.status() != null) {
            throw RefusedException.badRequest("there is a :status in a request");
        }
        if (method == null || !FieldSyntax.isToken(method)) {
            throw RefusedException.badRequest("there is no :method, or one that is not a token");
        }
        boolean connect = method.equals("CONNECT");
        if (section.protocol() != null && !connect) {
            throw RefusedException.badRequest("there is a :protocol without CONNECT");
        }
        boolean bare = section.scheme() == null && section.path() == null;
        if (connect && section.protocol() == null) {
            if (!bare || section.authority() == null) {
                throw RefusedException.badRequest("a CONNECT request has :method and :authority, and nothing else");
            }
        } else if (section.scheme() == null
                || section.path() == null
                || section.path().isEmpty()) {
            throw RefusedException.badRequest("there is no :scheme, no :path, or an empty one");
        }
    }

    /** The declared length, if it is consistent (RFC 9113, 8.1.1). */
    private static long length(HeaderBlock headers, boolean end, boolean connect) throws RefusedException {
        boolean declared = headers.contains("content-length");
        long length = RequestHeadRules.bodyLength(headers, true);
        if (connect) {
            if (declared) {
                throw RefusedException.badRequest("there is a Content-Length in a CONNECT request");
            }
            return 0;
        }
        if (end && length != 0) {
            throw RefusedException.badRequest("the request ends with its head but its Content-Length is not 0");
        }
        return declared || end ? length : RequestMessage.UNKNOWN_LENGTH;
    }

    /** Sets the Host line from {@code :authority} (RFC 9113, 8.3.1). */
    private static void takeAuthority(@Nullable String authority, HeaderBlock headers) throws RefusedException {
        if (authority == null) {
            return;
        }
        for (int i = headers.indexOf("host", 0); i >= 0; i = headers.indexOf("host", i + 1)) {
            if (!headers.value(i).equalsIgnoreCase(authority)) {
                throw RefusedException.badRequest("Host differs from :authority");
            }
        }
        headers.removeAll("host");
        headers.insert(0, "Host", authority);
    }

    private static RequestTarget target(String method, String path) throws RefusedException {
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) <= ' ' || path.charAt(i) == 0x7F || path.charAt(i) > 0xFF) {
                throw RefusedException.badRequest("the :path has an invalid character");
            }
        }
        if (!path.startsWith("/") && !path.equals("*")) {
            throw RefusedException.badRequest("the :path does not begin with a slash");
        }
        return RequestTarget.parse(method, path);
    }

    private void checkScheme(String scheme) throws RefusedException {
        if (!scheme.equalsIgnoreCase(ingress.secure() ? "https" : "http")) {
            throw RefusedException.badRequest("the :scheme is not that of the connection");
        }
    }

    private static @Nullable Destination named(@Nullable String authority) {
        try {
            return DestinationResolver.connectTarget(String.valueOf(authority));
        } catch (RefusedException e) {
            return null;
        }
    }

    private static PartialRequest outline(FieldSection section) {
        String method = section.method();
        String path = section.path();
        String authority = section.authority();
        if (method == null || (path == null && !method.equals("CONNECT"))) {
            return PartialRequest.NONE;
        }
        boolean connect = method.equals("CONNECT") && section.protocol() == null;
        return new PartialRequest(method, String.valueOf(connect ? authority : path), authority);
    }

    private DecodedRequest refused(FieldSection section, Refusal refusal, boolean end) {
        PartialRequest outline = outline(section);
        return new DecodedRequest(
                outline.head(),
                outline.destination(ingress),
                callers.ofRefused(false, section.fields()),
                refusal,
                null,
                Terms.HTTP_2,
                Content.of(end));
    }
}

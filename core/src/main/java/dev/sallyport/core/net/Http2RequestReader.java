package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.FieldSection;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.Tokens;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import org.jspecify.annotations.Nullable;

/**
 * Makes a request of a field section: pseudo-header fields (RFC 9113, 8.3), length, target, destination. The head that
 * comes of it is one of HTTP/1.1, with a Host line; an extended CONNECT (RFC 8441) becomes the GET that upgrades. In what
 * comes of a malformed request {@link Intake#keepAlive} is false; other refusals leave the stream in order.
 */
final class Http2RequestReader {

    private static final Refusal NO_CONNECT =
            new Refusal(405, "method_not_allowed", "CONNECT is not served over HTTP/2", "http_request_denied");

    private final Entrance entrance;
    private final Callers callers;
    private final DestinationMemo destinations;
    private final int maxHeaders;

    Http2RequestReader(Entrance entrance, Callers callers, int maxHeaders) {
        this.entrance = entrance;
        this.callers = callers;
        this.destinations = new DestinationMemo(entrance);
        this.maxHeaders = maxHeaders;
    }

    Intake read(FieldSection section, boolean end) {
        if (section.tooLarge()) {
            return refused(section, HeadRules.headTooLarge("the header fields are too large"), end);
        }
        try {
            checkPseudo(section);
            return understood(section, end);
        } catch (Refused e) {
            return outline(section).refused(entrance, e.refusal());
        }
    }

    private Intake understood(FieldSection section, boolean end) throws Refused {
        HeaderBlock headers = section.fields();
        String method = String.valueOf(section.method());
        String protocol = section.protocol();
        boolean connect = method.equals("CONNECT");
        headers.joinCrumbs("cookie");
        long length = length(headers, end, connect);
        try {
            HeadRules.checkCount(headers, maxHeaders);
            takeAuthority(section.authority(), headers);
        } catch (Refused e) {
            return refused(section, e.refusal(), end);
        }
        if (connect && protocol == null) {
            HopByHop.strip(headers);
            RequestMessage head = new RequestMessage(method, "", null, headers, 0);
            return new Intake(head, named(section.authority()), NO_CONNECT, null, null, null, true, true, true, end);
        }
        if (protocol != null && (!protocol.equals("websocket") || end)) {
            return refused(
                    section,
                    new Refusal(501, "not_implemented", "the protocol is not carried through", "http_request_denied"),
                    end);
        }
        return request(section, protocol == null ? method : "GET", protocol, length, end);
    }

    private Intake request(FieldSection section, String method, @Nullable String upgrade, long length, boolean end) {
        HeaderBlock headers = section.fields();
        RequestTarget target;
        try {
            target = target(method, String.valueOf(section.path()));
        } catch (Refused e) {
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
        } catch (Refused e) {
            destination = destination == null ? e.destination() : destination;
            refusal = e.refusal();
        }
        refusal = upgrade == null || refusal != null ? refusal : RequestReader.openingFault(headers, false);
        HopByHop.strip(headers);
        return new Intake(head, destination, refusal, caller, null, upgrade, true, true, true, end);
    }

    /** The pseudo-header fields that a request needs, and no others (RFC 9113, 8.3.1 and 8.5; RFC 8441, 4). */
    private static void checkPseudo(FieldSection section) throws Refused {
        if (!section.malformed().isEmpty()) {
            throw Refused.badRequest(section.malformed());
        }
        String method = section.method();
        if (section.status() != null) {
            throw Refused.badRequest("there is a :status in a request");
        }
        if (method == null || !Tokens.isToken(method)) {
            throw Refused.badRequest("there is no :method, or one that is not a token");
        }
        boolean connect = method.equals("CONNECT");
        if (section.protocol() != null && !connect) {
            throw Refused.badRequest("there is a :protocol without CONNECT");
        }
        boolean bare = section.scheme() == null && section.path() == null;
        if (connect && section.protocol() == null) {
            if (!bare || section.authority() == null) {
                throw Refused.badRequest("a CONNECT request has :method and :authority, and nothing else");
            }
        } else if (section.scheme() == null
                || section.path() == null
                || section.path().isEmpty()) {
            throw Refused.badRequest("there is no :scheme, no :path, or an empty one");
        }
    }

    /** What is declared, as far as it can be right (RFC 9113, 8.1.1). */
    private static long length(HeaderBlock headers, boolean end, boolean connect) throws Refused {
        boolean declared = headers.contains("content-length");
        long length = HeadRules.bodyLength(headers, true);
        if (connect) {
            if (declared) {
                throw Refused.badRequest("there is a Content-Length in a CONNECT request");
            }
            return 0;
        }
        if (end && length != 0) {
            throw Refused.badRequest("the request ends with its head, and its Content-Length says otherwise");
        }
        return declared || end ? length : RequestMessage.UNKNOWN_LENGTH;
    }

    /** Puts {@code :authority} where HTTP/1.1 has it, and nothing beside it (RFC 9113, 8.3.1). */
    private static void takeAuthority(@Nullable String authority, HeaderBlock headers) throws Refused {
        if (authority == null) {
            return;
        }
        for (int i = headers.indexOf("host", 0); i >= 0; i = headers.indexOf("host", i + 1)) {
            if (!headers.value(i).equalsIgnoreCase(authority)) {
                throw Refused.badRequest("Host is not what :authority is");
            }
        }
        headers.removeAll("host");
        headers.insert(0, "Host", authority);
    }

    private static RequestTarget target(String method, String path) throws Refused {
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) <= ' ' || path.charAt(i) >= 0x7F) {
                throw Refused.badRequest("the :path has a character that no URI has");
            }
        }
        if (!path.startsWith("/") && !path.equals("*")) {
            throw Refused.badRequest("the :path does not begin with a slash");
        }
        return RequestTarget.parse(method, path);
    }

    private void checkScheme(String scheme) throws Refused {
        if (!scheme.equalsIgnoreCase(entrance.secure() ? "https" : "http")) {
            throw Refused.badRequest("the :scheme is not that of the connection");
        }
    }

    private static @Nullable Destination named(@Nullable String authority) {
        try {
            return DestinationResolver.connectTarget(String.valueOf(authority));
        } catch (Refused e) {
            return null;
        }
    }

    private static Outline outline(FieldSection section) {
        String method = section.method();
        String path = section.path();
        String authority = section.authority();
        if (method == null || (path == null && !method.equals("CONNECT"))) {
            return Outline.NONE;
        }
        boolean connect = method.equals("CONNECT") && section.protocol() == null;
        return new Outline(method, String.valueOf(connect ? authority : path), authority);
    }

    private Intake refused(FieldSection section, Refusal refusal, boolean end) {
        Outline outline = outline(section);
        return new Intake(
                outline.head(), outline.destination(entrance), refusal, null, null, null, true, true, true, end);
    }
}

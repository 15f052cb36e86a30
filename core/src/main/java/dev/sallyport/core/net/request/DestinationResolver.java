package dev.sallyport.core.net.request;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;
import org.jspecify.annotations.Nullable;

/**
 * Derives the one destination from everything the request and its connection state: the tunnel's target, the server
 * name of TLS, an absolute-form target, {@code Host}. Contradictions are refused. Pure functions.
 */
public final class DestinationResolver {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private DestinationResolver() {}

    /**
     * The target of a CONNECT request (RFC 9110, 9.3.6). The protocol inside the tunnel is not known yet; TLS is
     * assumed.
     */
    public static Destination connectTarget(String target) throws RefusedException {
        try {
            return Destinations.fromAuthority(target, HTTPS_PORT, true);
        } catch (InvalidHostException e) {
            throw RefusedException.badRequest("the target of CONNECT: " + e.reason());
        }
    }

    /**
     * The destination of a request. {@code Host} is rewritten where an absolute-form target replaces it (RFC 9112,
     * 3.2.2). Where tunnels are opened, a client may leave TLS with the origin to the proxy by such a target.
     *
     * @param hostRequired whether a request without {@code Host} is malformed (HTTP/1.1)
     */
    static Destination resolve(Ingress ingress, RequestTarget target, HeaderBlock headers, boolean hostRequired)
            throws RefusedException {
        int at = hostLine(headers, hostRequired);
        boolean secure = ingress.secure();
        String authority = target.authority();
        if (authority == null) {
            if (ingress.proxyTls() && ingress.tunnel() == null) {
                // The client may believe to speak TLS with an origin: it must not be sent on without.
                throw RefusedException.badRequest(
                        "a path alone over TLS to the tunnel port (expected: CONNECT, or a target in absolute form)");
            }
            if (at < 0) {
                Destination original = ingress.original();
                if (original != null && ingress.sni() == null) {
                    return unnamed(original, secure, headers);
                }
                throw RefusedException.badRequest("there is no Host and no absolute-form target");
            }
            return agree(ingress, headers.value(at), parse(headers.value(at), secure));
        }
        boolean https = "https".equals(target.scheme());
        if (ingress.tunnel() != null) {
            throw RefusedException.misdirected(
                    "a target in absolute form inside a tunnel, which leads to one origin (expected: a path)",
                    parse(authority, https));
        }
        if (secure != https && !(https && ingress.opensTunnels())) {
            throw RefusedException.badRequest(
                    secure
                            ? "an absolute-form http target over TLS"
                            : "an https target without TLS (expected: CONNECT)");
        }
        Destination destination = agree(ingress, authority, parse(authority, https));
        if (at < 0) {
            headers.append("Host", authority);
        } else {
            parse(headers.value(at), https);
            headers.setValue(at, authority);
        }
        return destination;
    }

    /** A request that names no host (HTTP/1.0) goes to the connection's original destination. */
    private static Destination unnamed(Destination original, boolean secure, HeaderBlock headers) {
        Destination destination = Destinations.parse(original.host(), original.port(), secure);
        headers.append("Host", destination.authority());
        return destination;
    }

    private static int hostLine(HeaderBlock headers, boolean required) throws RefusedException {
        int at = headers.indexOf("Host", 0);
        if (at < 0) {
            if (required) {
                throw RefusedException.badRequest("there is no Host");
            }
        } else if (headers.indexOf("Host", at + 1) >= 0) {
            throw RefusedException.badRequest("there is more than one Host");
        }
        return at;
    }

    /**
     * On the wire a host is ASCII (RFC 3986, 3.2.2). Other octets would mean one name here, read as ISO 8859-1, and
     * another at an origin that reads UTF-8.
     */
    private static Destination parse(String authority, boolean secure) throws RefusedException {
        if (authority.chars().anyMatch(c -> c >= 0x80)) {
            throw RefusedException.badRequest(
                    "the host of the request: a character outside ASCII (expected: A-labels)");
        }
        try {
            return Destinations.fromAuthority(authority, secure ? HTTPS_PORT : HTTP_PORT, secure);
        } catch (InvalidHostException e) {
            throw RefusedException.badRequest("the host of the request: " + e.reason());
        }
    }

    /**
     * The named destination, with the effective port. A tunnel to an address allows any name inside: the name is
     * judged, resolved and dialled, and the address only if the request names it.
     */
    private static Destination agree(Ingress ingress, String authority, Destination named) throws RefusedException {
        String sni = ingress.sni();
        if (sni != null && !sni.equals(named.host())) {
            throw RefusedException.misdirected(
                    "the host of the request is not the server name of the TLS handshake", named);
        }
        if (leavesTunnel(ingress, named)) {
            throw RefusedException.misdirected("the host of the request is not the target of the tunnel", named);
        }
        Destination tunnel = ingress.tunnel();
        int pinned = ingress.pinnedPort();
        if (pinned == 0 || pinned == named.port()) {
            return named;
        }
        if (tunnel != null && statesPort(authority)) {
            throw RefusedException.misdirected("the port of the request is not the port of the tunnel", named);
        }
        return withPort(named, pinned);
    }

    private static boolean leavesTunnel(Ingress ingress, Destination named) {
        Destination tunnel = ingress.tunnel();
        return tunnel != null
                && (!tunnel.literal() || named.literal())
                && !tunnel.host().equals(named.host());
    }

    /**
     * The destination of a TLS connection that is passed through: the server name, at the port of the tunnel or,
     * outside of one, at {@code port}.
     */
    public static Destination passed(Ingress ingress, String sni, int port) throws RefusedException {
        int pinned = ingress.pinnedPort();
        Destination named = Destinations.parse(sni, pinned == 0 ? port : pinned, true);
        if (leavesTunnel(ingress, named)) {
            throw RefusedException.misdirected(
                    "the server name of the TLS handshake is not the target of the tunnel", named);
        }
        return named;
    }

    private static boolean statesPort(String authority) {
        return authority.indexOf(':', authority.lastIndexOf(']') + 1) >= 0;
    }

    private static Destination withPort(Destination named, int port) {
        return Destinations.parse(named.host(), port, named.secure());
    }

    /**
     * The canonical form of a name in a TLS handshake (RFC 6066, 3: ASCII, and no address), or null when it cannot be
     * one. An IPv4 address, which some clients send, is accepted too.
     *
     */
    public static @Nullable String canonicalOrNull(String name) {
        if (name.chars().anyMatch(c -> c >= 0x80 || c == ':' || c == '[')) {
            return null;
        }
        try {
            return Hosts.canonical(name);
        } catch (InvalidHostException e) {
            return null;
        }
    }
}

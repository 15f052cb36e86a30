package dev.sallyport.toolkit.match;

import dev.sallyport.spi.Destination;
import java.net.InetAddress;

/**
 * Makes destinations from texts on the wire. No other code does, so policy, resolution, dialling and audit see the same
 * host. Pure functions; nothing is resolved.
 */
public final class Destinations {

    private static final String PORT = "a port from 1 to 65535";

    private Destinations() {}

    /**
     * The destination of a host and a port.
     *
     * @param host a name or an address, with or without brackets; see {@link Hosts#canonical}
     * @param secure whether it is reached over TLS
     * @throws InvalidHostException when the host is invalid, or the port is not 1 to 65535
     */
    public static Destination parse(String host, int port, boolean secure) {
        requirePort(port);
        String canonical = Hosts.canonical(host);
        int length = canonical.length();
        if (canonical.indexOf(':') >= 0) {
            InetAddress address = IpBits.address(IpBits.half(canonical, true), IpBits.half(canonical, false));
            return Destination.literal(canonical, address, port, secure);
        }
        long v4 = IpBits.isDigit(canonical.charAt(length - 1)) ? IpBits.v4(canonical, 0, length) : -1;
        return v4 < 0
                ? Destination.named(canonical, port, secure)
                : Destination.literal(canonical, IpBits.address((int) v4), port, secure);
    }

    /**
     * The destination that an authority names: {@code host}, {@code host:port} or {@code [address]:port} (RFC 3986,
     * 3.2; RFC 9110, 4.2). User information, an empty port, an IPv6 address without brackets and a zone are refused.
     *
     * @param defaultPort used when the authority names none
     * @param secure whether it is reached over TLS
     * @throws InvalidHostException when it is not an authority
     */
    public static Destination fromAuthority(String authority, int defaultPort, boolean secure) {
        if (authority.indexOf('@') >= 0) {
            throw new InvalidHostException("user information in an authority", "host:port");
        }
        int colon;
        if (authority.startsWith("[")) {
            int bracket = authority.indexOf(']');
            if (bracket < 0 || (bracket + 1 < authority.length() && authority.charAt(bracket + 1) != ':')) {
                throw new InvalidHostException("unbalanced brackets in an authority", "[address]:port");
            }
            colon = bracket + 1 < authority.length() ? bracket + 1 : -1;
        } else {
            colon = authority.indexOf(':');
            if (colon >= 0 && authority.indexOf(':', colon + 1) >= 0) {
                throw new InvalidHostException(
                        "more than one colon in an authority", "host:port, an IPv6 address in brackets");
            }
        }
        if (colon < 0) {
            return parse(authority, defaultPort, secure);
        }
        return parse(authority.substring(0, colon), port(authority, colon + 1), secure);
    }

    /** The destination of an address; an IPv4-mapped one is unmapped, a scope is dropped. */
    public static Destination ofAddress(InetAddress address, int port, boolean secure) {
        requirePort(port);
        byte[] bytes = address.getAddress();
        long high = IpBits.high(bytes);
        long low = IpBits.low(bytes);
        if (bytes.length == 4 || IpBits.mapped(high, low)) {
            int v4 = (int) (bytes.length == 4 ? high >>> 32 : low);
            return Destination.literal(IpBits.text(v4), IpBits.address(v4), port, secure);
        }
        return Destination.literal(IpBits.text(high, low), IpBits.address(high, low), port, secure);
    }

    private static void requirePort(int port) {
        if (port < 1 || port > 65535) {
            throw new InvalidHostException("a port out of range", PORT);
        }
    }

    private static int port(String authority, int from) {
        int digits = authority.length() - from;
        if (digits == 0) {
            throw new InvalidHostException("an empty port in an authority", PORT);
        }
        int port = 0;
        for (int i = from; i < authority.length(); i++) {
            char c = authority.charAt(i);
            if (!IpBits.isDigit(c) || digits > 5) {
                throw new InvalidHostException("a port that is not a number from 1 to 65535", PORT);
            }
            port = port * 10 + c - '0';
        }
        if (authority.charAt(from) == '0') {
            throw new InvalidHostException("a port that is zero or begins with zero", PORT);
        }
        return port;
    }
}

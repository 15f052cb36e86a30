package dev.sallyport.core.config;

import java.net.InetSocketAddress;

/**
 * An address to listen on.
 *
 * @param host canonical host name or address without brackets; empty for all interfaces
 * @param port 0 lets the system choose
 */
public record ListenAddress(String host, int port) {

    /** Parses {@code :53}, {@code 127.0.0.1:8080}, {@code localhost:8080}, {@code [::1]:80}. */
    static ListenAddress parse(String text) {
        String expected = ScalarKind.LISTEN.expected();
        int colon = Ports.colon(text);
        if (colon < 0) {
            throw new BadValueException("a listen address without a port", expected);
        }
        String host = text.substring(0, colon);
        if (host.indexOf(':') >= 0 && !host.startsWith("[")) {
            throw new BadValueException("an IPv6 address without brackets", expected);
        }
        return new ListenAddress(
                host.isEmpty() ? "" : Ports.host(host, expected), Ports.port(text.substring(colon + 1), 0));
    }

    /** The socket address to bind. May block to resolve a name; the result may then be unresolved. */
    public InetSocketAddress toSocketAddress() {
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }

    /** Whether both cannot be bound at the same time. Does not resolve names. */
    boolean collidesWith(ListenAddress other) {
        return port != 0 && port == other.port && (isWildcard() || other.isWildcard() || host.equals(other.host));
    }

    /** Whether it is every address of the machine. */
    boolean isWildcard() {
        return host.isEmpty() || host.equals("0.0.0.0") || host.equals("::");
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}

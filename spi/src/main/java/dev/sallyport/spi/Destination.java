package dev.sallyport.spi;

import java.net.InetAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The destination of an exchange: made once, and shared by policy, name resolution, dialling and audit. A value;
 * immutable.
 *
 * <p>The host is canonical: ASCII lower case, A-labels, no trailing dot, no brackets. Only
 * {@code dev.sallyport.toolkit.match.Destinations} makes canonical hosts from text that came over the wire.
 */
public final class Destination {

    private final String host;
    private final int port;
    private final boolean secure;
    private final @Nullable InetAddress address;
    private final int hash;

    private Destination(String host, int port, boolean secure, @Nullable InetAddress address) {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1 to 65535)");
        }
        this.host = Objects.requireNonNull(host, "host");
        this.port = port;
        this.secure = secure;
        this.address = address;
        this.hash = (host.hashCode() * 31 + port) * 2 + (secure ? 1 : 0);
    }

    /** A destination with a canonical name. */
    public static Destination named(String canonicalHost, int port, boolean secure) {
        return new Destination(canonicalHost, port, secure, null);
    }

    /** A destination that is an address literal; {@code canonicalHost} is its canonical text. */
    public static Destination literal(String canonicalHost, InetAddress address, int port, boolean secure) {
        return new Destination(canonicalHost, port, secure, Objects.requireNonNull(address, "address"));
    }

    /** The canonical name or address text (IPv6 without brackets). */
    public String host() {
        return host;
    }

    /** The port, 1 to 65535. */
    public int port() {
        return port;
    }

    /** Whether TLS is spoken to the destination. */
    public boolean secure() {
        return secure;
    }

    /** Whether the host is an address literal. */
    public boolean literal() {
        return address != null;
    }

    /** The address when the host is a literal, IPv4-mapped forms unmapped; null for a name. */
    public @Nullable InetAddress address() {
        return address;
    }

    /** Host and port as in a URI authority: IPv6 in brackets. */
    public String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Destination that
                && hash == that.hash
                && port == that.port
                && secure == that.secure
                && host.equals(that.host);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return authority();
    }
}

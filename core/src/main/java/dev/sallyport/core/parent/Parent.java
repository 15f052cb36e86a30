package dev.sallyport.core.parent;

import dev.sallyport.core.config.ProxyUrl.Scheme;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import java.net.InetSocketAddress;
import java.util.Locale;

/**
 * A parent proxy. Connections through equal parents may be shared.
 *
 * @param scheme the protocol spoken with it
 * @param place its address; secure when it is reached over TLS
 * @param remote whether it resolves names itself
 * @param login the credentials shown to it
 */
public record Parent(Scheme scheme, Destination place, boolean remote, ParentLogin login) {

    /**
     * A parent.
     *
     * @param host canonical
     */
    public static Parent of(Scheme scheme, String host, int port, boolean remote, ParentLogin login) {
        return new Parent(scheme, Destinations.parse(host, port, scheme == Scheme.HTTPS), remote, login);
    }

    /** Whether the parent resolves the name of this destination; then only the parent knows its address. */
    public boolean resolves(Destination destination) {
        return remote && !destination.literal();
    }

    /**
     * Whether requests for this destination are forwarded in absolute form (RFC 9112, 3.2.2): only without TLS, and
     * only if the parent resolves the name, because it would resolve it again.
     */
    public boolean forwards(Destination destination) {
        return remote && !destination.secure() && !scheme.isSocks();
    }

    /**
     * The handshake that opens a connection to a destination through this parent.
     *
     * @param target the address; unresolved when the parent resolves the name
     * @throws ParentException when the credentials are unavailable or cannot be encoded
     */
    public ParentHandshake handshake(InetSocketAddress target) throws ParentException {
        return scheme.isSocks() ? new SocksHandshake(target, login) : new ConnectHandshake(target, login);
    }

    /** The URL, with the credentials if they are available now. */
    public String withLogin() {
        return scheme.name().toLowerCase(Locale.ROOT) + "://" + login.userInfo() + place.authority();
    }

    /** The URL, without credentials. */
    @Override
    public String toString() {
        return scheme.name().toLowerCase(Locale.ROOT) + "://" + place.authority();
    }
}

package dev.sallyport.server.init;

import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.Hosts;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A host that a tool reads from. Of its URL nothing else is kept: there may be a password in it.
 *
 * @param host canonical
 * @param port 0 for the usual one of its scheme
 */
record Registry(String host, int port) {

    /** The host of an HTTP URL; null for anything else. */
    static @Nullable Registry of(String url) {
        try {
            URI uri = URI.create(url.strip());
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
                return null;
            }
            int usual = scheme.equals("https") ? 443 : 80;
            int port = uri.getPort() < 0 ? usual : uri.getPort();
            Destination destination = Destinations.parse(uri.getHost(), port, scheme.equals("https"));
            return new Registry(destination.host(), port == usual ? 0 : port);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Whether the host is an address and no name. */
    boolean address() {
        return Hosts.isLiteral(host);
    }

    /** The host with its port, if that is not the usual one. */
    @Override
    public String toString() {
        return port == 0 ? host : host + ":" + port;
    }
}

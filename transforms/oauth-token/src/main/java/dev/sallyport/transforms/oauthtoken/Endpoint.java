package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A token endpoint, where tokens are minted and where workloads get a placeholder.
 *
 * @param uri absolute, {@code http} or {@code https}
 * @param path the path, percent-decoded
 */
record Endpoint(URI uri, Destination destination, String path) {

    /** The endpoint of a URL, or null when the URL cannot be one: RFC 6749, 3.2, and no user information. */
    static @Nullable Endpoint parse(String url) {
        try {
            URI uri = new URI(url);
            boolean secure = "https".equalsIgnoreCase(uri.getScheme());
            String host = HttpCall.hostOf(uri);
            if ((!secure && !"http".equalsIgnoreCase(uri.getScheme()))
                    || host == null
                    || uri.getRawUserInfo() != null
                    || uri.getRawFragment() != null) {
                return null;
            }
            String path = uri.getPath();
            return new Endpoint(
                    uri,
                    Destinations.parse(host, HttpCall.portOf(uri), secure),
                    path == null || path.isEmpty() ? "/" : path);
        } catch (URISyntaxException | InvalidHostException e) {
            return null;
        }
    }

    /** Whether a destination is this endpoint's host, on any port. */
    boolean isAt(Destination other) {
        return destination.host().equals(other.host());
    }

    /** The rule that reaches it. */
    Rule rule() {
        return destination.literal() ? Rule.cidr(destination.host()) : Rule.host(destination.host());
    }

    /** Whether credentials would be sent in cleartext. */
    boolean isExposed() {
        boolean local = destination.host().equals("localhost")
                || (destination.address() != null && destination.address().isLoopbackAddress());
        return !destination.secure() && !local;
    }
}

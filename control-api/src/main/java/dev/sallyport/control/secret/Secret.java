package dev.sallyport.control.secret;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A secret without its value.
 *
 * @param hosts where the placeholder is replaced
 * @param proxyValue the placeholder, which is no secret
 * @param allowPlaintext whether it may go over connections without TLS to addresses that are not near
 */
public record Secret(
        String id,
        String name,
        String envVar,
        List<String> hosts,
        String proxyValue,
        @Nullable String comment,
        boolean allowPlaintext,
        Instant createdAt,
        Instant updatedAt) {

    private static final String PREFIX = "SALLYPORT_PROXY_";

    public Secret {
        hosts = List.copyOf(hosts);
    }

    /** The placeholder of a name. */
    public static String placeholder(String name) {
        return PREFIX + name;
    }
}

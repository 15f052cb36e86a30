package dev.sallyport.core.parent;

import dev.sallyport.core.config.NoProxy;
import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * Selects the parent for a destination. Immutable and thread-safe.
 *
 * @param http the parent for destinations without TLS; null for direct connections
 * @param https the parent for destinations with TLS; null for direct connections
 * @param exempt the destinations that are always reached directly
 */
public record Parents(@Nullable Parent http, @Nullable Parent https, NoProxy exempt) {

    /** No parents: all connections are direct. */
    public static final Parents NONE = new Parents(null, null, NoProxy.of(""));

    /** The parent for a destination; null for a direct connection. */
    public @Nullable Parent of(Destination destination) {
        Parent parent = destination.secure() ? https : http;
        return parent == null || exempt.matches(destination) ? null : parent;
    }
}

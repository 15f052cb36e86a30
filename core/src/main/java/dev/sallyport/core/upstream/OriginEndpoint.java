package dev.sallyport.core.upstream;

import dev.sallyport.core.parent.Parent;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The end of a connection: the origin, and the parent proxy on the way to it.
 *
 * @param origin the origin's address, as dialled or as requested from the parent; unresolved when the parent resolved
 *     the name
 * @param via the parent proxy on the way; null for a direct connection
 */
public record OriginEndpoint(
        InetSocketAddress origin, @Nullable Parent via) {

    /** The end of a direct connection. */
    static OriginEndpoint directly(Channel channel) {
        return new OriginEndpoint((InetSocketAddress) channel.remoteAddress(), null);
    }

    /** The origin's address; null when only the parent knows it. */
    public @Nullable InetAddress address() {
        return origin.getAddress();
    }
}

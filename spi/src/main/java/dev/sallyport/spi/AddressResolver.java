package dev.sallyport.spi;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Resolves hosts that the operator configured, as the engine resolves upstreams: through the configured name server,
 * the hosts file and the same cache. Meant for libraries that open connections of their own. Thread-safe; never blocks.
 */
@FunctionalInterface
public interface AddressResolver {

    /**
     * All addresses of a name or address text, in the order in which to try them (RFC 8305): never empty. The stage
     * fails with an {@link java.io.IOException} when there are none. It completes on a thread that must not be blocked.
     */
    CompletionStage<List<InetAddress>> resolve(String host);
}

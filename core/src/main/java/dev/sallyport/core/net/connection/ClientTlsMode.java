package dev.sallyport.core.net.connection;

import dev.sallyport.core.tls.LeafCache;
import dev.sallyport.core.tls.ServerTls;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How TLS from clients is handled. */
public sealed interface ClientTlsMode {

    /** The port that {@code https_listen} dials for connections that are passed through. */
    int port();

    /**
     * TLS is terminated.
     *
     * @param leaves mints the certificates that clients see
     * @param server terminates
     * @param proxy terminates TLS that clients speak with the proxy itself, on the tunnel listener; null where they may
     *     not
     * @param passed the canonical server names whose connections are passed through nevertheless;
     *     called on event loops
     */
    record Mitm(
            LeafCache leaves, ServerTls server, @Nullable ServerTls proxy, Predicate<String> passed, int port)
            implements ClientTlsMode {}

    /** TLS is passed through, whatever the name. */
    record SniOnly(int port) implements ClientTlsMode {}
}

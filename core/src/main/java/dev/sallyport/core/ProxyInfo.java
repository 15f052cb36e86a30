package dev.sallyport.core;

import dev.sallyport.spi.ListenerKind;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The view of a running proxy that a companion gets. Thread-safe. Only the engine implements it, so it may grow.
 */
public interface ProxyInfo {

    /** The address of a listener, or null when it is disabled. */
    @Nullable InetSocketAddress address(ListenerKind kind);

    /** The address of the DNS server, or null when it is off. */
    @Nullable InetSocketAddress dnsAddress();

    /** The file of the certificate authority that its workloads have to trust, PEM, or null when it intercepts no TLS. */
    @Nullable Path authority();

    /** The number of the generation in force; it grows with every reload. */
    int generation();

    /** As {@link EgressProxy#ready}. */
    boolean ready();

    /**
     * As {@link EgressProxy#reload}; blocks. Threads of the companion may call it from {@link Companion#started} on;
     * during the start it waits for its end.
     *
     * @throws IllegalStateException when the proxy is closed, by the thread that starts it, or within {@link
     *     Companion#reloaded}
     */
    ReloadResult reload();
}

package dev.sallyport.core;

import dev.sallyport.spi.ListenerKind;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A running proxy as a companion may see it. Thread-safe. Only the engine implements it, so it may grow.
 */
public interface ProxyInfo {

    /** Where a listener is bound, or null when it is disabled. */
    @Nullable InetSocketAddress address(ListenerKind kind);

    /** The number of the generation in force; it grows with every reload. */
    int generation();

    /** As {@link EgressProxy#ready}. */
    boolean ready();

    /**
     * As {@link EgressProxy#reload}; blocks. It may be called from {@link Companion#started} on, by threads of the
     * companion; during the start it waits for its end.
     *
     * @throws IllegalStateException when the proxy is closed, by the thread that starts it, or within {@link
     *     Companion#reloaded}
     */
    ReloadResult reload();
}

package dev.sallyport.core;

import dev.sallyport.spi.ConfigException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A component that runs beside a proxy, made by a {@link CompanionFactory}: started and closed with it. The proxy owns
 * it.
 *
 * <p>Order: companions are prepared by the names of their sections, before any listener of the proxy is open; {@link
 * #started} follows when all listeners are. They are closed last to first, after the exchanges of the proxy have ended and
 * before its transforms are closed. {@link #close} is called exactly once, also after a start that failed on the way.
 *
 * <p>Threads: {@link #prepare} and {@link #started} are called by the thread that starts the proxy, {@link #reloaded}
 * by the one that reloads it, one after the other; {@link #close} by a thread of its own. All of them may block, which
 * delays the start, the reload or the end. {@link #ready} is called by any thread, including event loops.
 */
public interface Companion extends AutoCloseable {

    /**
     * Prepares for work: opens files and listeners. An exception ends the start of the proxy, after the other
     * companions have been prepared, so that one report covers all faults.
     *
     * @throws ConfigException for what the operator can correct; its pointer is at or below the section
     */
    default void prepare() throws ConfigException {}

    /**
     * The addresses on which it listens once it is prepared; asked once. The proxy does not connect its clients to
     * them.
     */
    default List<InetSocketAddress> addresses() {
        return List.of();
    }

    /**
     * The proxy serves. An exception ends it again.
     *
     * @throws ConfigException for what the operator can correct; its pointer is at or below the section
     */
    default void started(ProxyInfo proxy) throws ConfigException {}

    /**
     * The configuration was reloaded, with this result; the companion keeps the section that it was made with. An
     * exception is logged and has no effect.
     */
    default void reloaded(ReloadResult result) {}

    /**
     * Whether the proxy may receive traffic as far as this companion is concerned: while this is false, {@link
     * EgressProxy#ready} is, too. Must be quick, and neither block nor throw (an exception counts as false), nor call
     * {@link ProxyInfo#ready}, which calls this.
     */
    default boolean ready() {
        return true;
    }

    /**
     * Ends everything. Must not wait for its own calls of {@link ProxyInfo#reload}, which return only afterwards. The
     * end of the proxy waits ten seconds for all companions together; one that takes longer is interrupted and
     * abandoned.
     */
    @Override
    void close();
}

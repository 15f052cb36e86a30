package dev.sallyport.core;

import dev.sallyport.spi.ConfigException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Stands beside a proxy, made by a {@link CompanionFactory}: started and closed with it. The proxy owns it.
 *
 * <p>Order: companions are prepared by the names of their sections, before any listener of the proxy is open; {@link
 * #started} follows when all listeners are. They are closed last to first, after the exchanges of the proxy have ended and
 * before its transforms are closed. {@link #close} is called exactly once, also after a start that failed on the way.
 *
 * <p>Threads: {@link #prepare} and {@link #started} are called by the thread that starts the proxy, {@link #reloaded} by
 * the one that reloads it, one after the other; {@link #close} by a thread of its own. All of them may block, and hold up
 * who starts, reloads or closes meanwhile. {@link #ready} is called by any thread, an event loop too.
 */
public interface Companion extends AutoCloseable {

    /**
     * Gets ready for work: opens files and listeners. Whatever is thrown ends the start of the proxy, after the other
     * companions have been prepared, so that one report says what is wrong with all.
     *
     * @throws ConfigException for what the operator can mend; its pointer is one below the section
     */
    default void prepare() throws ConfigException {}

    /**
     * Where it listens, once it is prepared; asked once. Clients of the proxy are not connected there.
     */
    default List<InetSocketAddress> addresses() {
        return List.of();
    }

    /**
     * The proxy serves. Whatever is thrown ends it again.
     *
     * @throws ConfigException for what the operator can mend; its pointer is one below the section
     */
    default void started(ProxyInfo proxy) throws ConfigException {}

    /**
     * The configuration was read again, with this result; the companion keeps the section that it was made with. What is
     * thrown is logged, and changes nothing.
     */
    default void reloaded(ReloadResult result) {}

    /**
     * Whether the proxy may be sent traffic as far as this companion is concerned: while it says false, {@link
     * EgressProxy#ready} does. Quick; neither blocks nor throws (who throws is not ready), and does not ask {@link
     * ProxyInfo#ready}, which asks it.
     */
    default boolean ready() {
        return true;
    }

    /**
     * Ends everything. Waits for none of its calls of {@link ProxyInfo#reload}, which come back only afterwards. The end
     * of the proxy waits ten seconds for all companions together; whoever takes longer is interrupted and left behind.
     */
    @Override
    void close();
}

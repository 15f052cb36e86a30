package dev.sallyport.core.upstream;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An established connection to an origin, as the pool sees it. HTTP/1.1 carries one stream at a time; a protocol that
 * carries several offers itself again while streams are open. On one loop.
 */
interface UpstreamConnection {

    /** Receives a connection's events for its pool. */
    interface Owner {

        /** The connection can take a stream. */
        void available();

        /** The origin wants another protocol version than this connection's: HTTP/1.1. */
        void requiresHttp1();

        /** The connection closes, because the origin did not show its protocol in time. */
        void silent();

        /** The connection has closed. Called once. */
        void closed();
    }

    InetSocketAddress remoteAddress();

    /** Whether the connection could serve further streams, as far as is known. */
    boolean isAlive();

    /** Whether {@link #begin} may be called now. */
    boolean hasRoom();

    /** Whether no stream is open. */
    boolean isIdle();

    /**
     * Hands a stream to the listener at once. Called only after the connection was made or while it has room.
     *
     * @param patience how long the origin may keep the exchange waiting; null for no limit
     */
    void begin(UpstreamListener listener, @Nullable OriginTimeouts patience);

    /** Takes no further stream, and closes when the last one is gone. */
    void retire();
}

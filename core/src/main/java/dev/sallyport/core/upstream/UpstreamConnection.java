package dev.sallyport.core.upstream;

import dev.sallyport.spi.Destination;
import io.netty.channel.Channel;
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

        /** The origin requires HTTP/1.1 instead of the version of this connection. */
        void requiresHttp1();

        /** The connection closes, because the origin did not show its protocol in time. */
        void silent();

        /** The connection has closed. Called once. */
        void closed();
    }

    OriginEndpoint endpoint();

    Destination destination();

    Channel channel();

    /** Whether the connection may serve further streams. */
    boolean isAlive();

    /** Whether {@link #begin} may be called now. */
    boolean hasRoom();

    /** Whether no stream is open. */
    boolean isIdle();

    /**
     * Hands a stream to the listener before it returns. Called only while the connection has room.
     *
     * @param client on whose behalf, as in {@link Route}
     * @param timeouts the limits on waiting for the origin; null for none
     */
    void begin(UpstreamListener listener, Object client, @Nullable OriginTimeouts timeouts);

    /** Takes no further streams, and closes when the last one has ended. */
    void retire();
}

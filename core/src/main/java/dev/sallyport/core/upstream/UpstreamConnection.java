package dev.sallyport.core.upstream;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An established connection to an origin, as the pool sees it. HTTP/1.1 carries one stream at a time; a protocol that
 * carries several offers itself again while streams are open. On one loop.
 */
interface UpstreamConnection {

    /** What a connection tells its pool. */
    interface Owner {

        /** The connection can take a stream. */
        void available();

        /** The connection has closed. Called once. */
        void closed();
    }

    InetSocketAddress remoteAddress();

    /** Whether {@link #begin} would hand out a stream that can work, as far as is known. */
    boolean isAlive();

    /**
     * Hands a stream to the listener at once. Called only after the connection was made or became available.
     *
     * @param headLimit how long to wait for the final head; null for no limit
     */
    void begin(UpstreamListener listener, @Nullable Duration headLimit);

    /** Closes the connection; what it carries fails. */
    void close();
}

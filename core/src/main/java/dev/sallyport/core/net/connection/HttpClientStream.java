package dev.sallyport.core.net.connection;

import dev.sallyport.core.exchange.ClientStream;
import dev.sallyport.core.http.ResponseMessage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's stream, as far as both versions of HTTP agree: what may be sent as its head. On the connection's loop. */
public abstract class HttpClientStream implements ClientStream {

    private static final Logger LOG = LoggerFactory.getLogger(HttpClientStream.class);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int OK = 200;

    /** Whether no head has been sent. */
    protected abstract boolean isPending();

    /** The protocol that the client has asked to switch to, or null. */
    protected abstract @Nullable String upgrade();

    /** Sends a final head. */
    protected abstract void finalHead(ResponseMessage head, boolean end);

    /** Sends the head that agrees to {@link #upgrade}. */
    protected abstract void switchProtocol(ResponseMessage head);

    @Override
    public final void head(ResponseMessage head, boolean end) {
        if (isPending()) {
            guarded(() -> {
                if (head.status() >= OK) {
                    finalHead(head, end);
                } else if (head.status() == SWITCHING_PROTOCOLS && upgrade() != null) {
                    switchProtocol(head);
                } else {
                    throw new IllegalArgumentException(
                            "head: " + head.status() + " (expected: 200 or more, or 101 when asked for)");
                }
            });
        }
    }

    /** A head that cannot be written ends the exchange; nothing partial may be sent instead. */
    protected final void guarded(Runnable writing) {
        try {
            writing.run();
        } catch (IllegalArgumentException e) {
            LOG.warn("a response cannot be sent: {}", e.getMessage());
            abort();
        }
    }
}

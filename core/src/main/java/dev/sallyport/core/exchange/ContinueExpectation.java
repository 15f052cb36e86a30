package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import org.jspecify.annotations.Nullable;

/**
 * A client's expectation of 100 (RFC 9110, 10.1.1): it waits for a 100 from the origin, or from the proxy if a
 * transform needs the body first. It is asked once. On the exchange's loop.
 */
final class ContinueExpectation {

    private final ClientStream client;
    private final HeaderBlock request;
    private boolean waiting = true;

    /** The proxy met the expectation: the origin is no longer asked. */
    private boolean met;

    private boolean bodySeen;

    private ContinueExpectation(ClientStream client, HeaderBlock request) {
        this.client = client;
        this.request = request;
    }

    /**
     * Reads the expectation from these fields; null, the usual case, when there is none.
     *
     * @param request the request's fields, from which the expectation is removed once the proxy has met it
     */
    static @Nullable ContinueExpectation of(ClientStream client, HeaderBlock request) {
        return expects(request) ? new ContinueExpectation(client, request) : null;
    }

    private static boolean expects(HeaderBlock request) {
        return request.hasToken("Expect", "100-continue");
    }

    /** Some of the body has arrived: the client is not waiting. */
    void bodyCame() {
        bodySeen = true;
    }

    /** The proxy needs the body. */
    void meet() {
        if (waiting) {
            waiting = false;
            met = true;
            if (!bodySeen) {
                ask();
            }
        }
    }

    /**
     * The head is sent to the origin.
     *
     * @param bodyRewritten whether the body is rewritten, so that the origin cannot ask the client for it
     */
    void forward(boolean bodyRewritten) {
        if (waiting && (bodyRewritten || !expects(request))) {
            meet();
        }
        if (met) {
            request.removeAll("Expect");
        }
    }

    /** The origin asks for the body. */
    void fromOrigin() {
        if (waiting) {
            waiting = false;
            ask();
        }
    }

    private void ask() {
        client.interim(new ResponseMessage(100, "Continue", new HeaderBlock(1), 0));
    }
}

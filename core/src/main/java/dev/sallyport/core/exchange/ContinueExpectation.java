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

    /** Met here: the origin is not to be asked any more. */
    private boolean met;

    private boolean bodySeen;

    private ContinueExpectation(ClientStream client, HeaderBlock request) {
        this.client = client;
        this.request = request;
    }

    /**
     * What these fields expect; null for nothing, which is nearly always so.
     *
     * @param request its fields; what expects is taken out of them where the proxy has met it
     */
    static @Nullable ContinueExpectation of(ClientStream client, HeaderBlock request) {
        return expects(request) ? new ContinueExpectation(client, request) : null;
    }

    private static boolean expects(HeaderBlock request) {
        return request.hasToken("Expect", "100-continue");
    }

    /** Some of the body is there: the client does not wait. */
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
     * The head goes to the origin.
     *
     * @param bodyRewritten whether the origin could not ask, since it gets another body than the client's
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

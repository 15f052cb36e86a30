package dev.sallyport.core.net.request;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A decoded request.
 *
 * @param head without hop-by-hop fields; null when there was none to understand
 * @param destination the destination, as far as it is known
 * @param refusal why the request is refused, or null
 * @param caller the caller, once it is identified, or null
 * @param connect the target as a CONNECT request states it, or null
 * @param upgrade the token of an upgrade that is carried through, or null
 * @param http11 whether the client speaks HTTP/1.1 and not 1.0
 * @param keepAlive whether the connection may serve another request
 * @param acceptsTrailers whether the client accepts trailer fields
 * @param bodyless whether the message ends with its head
 * @param malformed whether the request could not be parsed; head and destination are then for the record only
 */
public record DecodedRequest(
        @Nullable RequestMessage head,
        @Nullable Destination destination,
        @Nullable Refusal refusal,
        @Nullable Principal caller,
        @Nullable String connect,
        @Nullable String upgrade,
        boolean http11,
        boolean keepAlive,
        boolean acceptsTrailers,
        boolean bodyless,
        boolean malformed) {

    public DecodedRequest(
            @Nullable RequestMessage head,
            @Nullable Destination destination,
            @Nullable Refusal refusal,
            @Nullable Principal caller,
            @Nullable String connect,
            @Nullable String upgrade,
            boolean http11,
            boolean keepAlive,
            boolean acceptsTrailers,
            boolean bodyless) {
        this(head, destination, refusal, caller, connect, upgrade, http11, keepAlive, acceptsTrailers, bodyless, false);
    }

    /** A request that cannot be parsed at all: nothing that follows on its connection can be parsed either. */
    public static DecodedRequest malformed(Refusal refusal) {
        return malformed(refusal, null, null);
    }

    /** As {@link #malformed(Refusal)}, with what could be read of it, for the record. */
    public static DecodedRequest malformed(
            Refusal refusal, @Nullable RequestMessage head, @Nullable Destination destination) {
        return new DecodedRequest(head, destination, refusal, null, null, null, true, false, false, false, true);
    }

    /** A head that did not arrive in time. */
    public static DecodedRequest late() {
        return malformed(Refusal.timeout("the head of the request did not arrive in time"));
    }

    /** This request without its head, after the response. */
    public DecodedRequest withoutHead() {
        return new DecodedRequest(
                null, null, refusal, null, null, upgrade, http11, keepAlive, acceptsTrailers, bodyless);
    }

    /** Whether the response has no body whatever its head says. */
    public boolean headOnly() {
        return head != null && head.method().equals("HEAD");
    }
}

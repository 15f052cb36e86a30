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
 * @param caller the caller, once it is identified, or null
 * @param refusal why the request is refused, or null
 * @param takeover what is to take over the connection or stream after the response, or null
 * @param terms what the response has to respect
 * @param content what follows the head
 */
public record DecodedRequest(
        @Nullable RequestMessage head,
        @Nullable Destination destination,
        @Nullable Principal caller,
        @Nullable Refusal refusal,
        @Nullable Takeover takeover,
        Terms terms,
        Content content) {

    /**
     * What a request says about the response to it. The instances are shared.
     *
     * @param http11 whether the client speaks HTTP/1.1 or later, and not 1.0
     * @param keepAlive whether the connection may serve another request (RFC 9112, 9.3)
     * @param acceptsTrailers whether the client accepts trailer fields (RFC 9110, 6.5.1)
     */
    public record Terms(boolean http11, boolean keepAlive, boolean acceptsTrailers) {

        private static final Terms PLAIN = new Terms(true, true, false);
        private static final Terms LAST = new Terms(true, false, false);
        private static final Terms TRAILERS = new Terms(true, true, true);
        private static final Terms LAST_TRAILERS = new Terms(true, false, true);
        private static final Terms HTTP_1_0 = new Terms(false, true, false);
        private static final Terms LAST_HTTP_1_0 = new Terms(false, false, false);

        /** A stream of HTTP/2, whose end leaves the connection to the others. */
        public static final Terms HTTP_2 = TRAILERS;

        /** A message that cannot be parsed: the connection serves no other. */
        public static final Terms UNPARSED = LAST;

        /** The terms of an HTTP/1.1 request. */
        public static Terms http11(boolean keepAlive, boolean acceptsTrailers) {
            if (acceptsTrailers) {
                return keepAlive ? TRAILERS : LAST_TRAILERS;
            }
            return keepAlive ? PLAIN : LAST;
        }

        /** The terms of an HTTP/1.0 request, whose client knows no trailers. */
        public static Terms http10(boolean keepAlive) {
            return keepAlive ? HTTP_1_0 : LAST_HTTP_1_0;
        }
    }

    /** What takes the place of HTTP after the response. */
    public sealed interface Takeover {

        /** A tunnel (RFC 9110, 9.3.6), with the target as the CONNECT request states it. */
        record Tunnel(String target) implements Takeover {}

        /** Another protocol (RFC 9110, 7.8; RFC 8441), as the client names it. */
        record Upgrade(String token) implements Takeover {}
    }

    /** What follows the head. */
    public enum Content {
        /** The message ends with its head. */
        NONE,
        /** A body, which may turn out to be empty. */
        BODY,
        /** The request could not be parsed; head and destination are then for the record only. */
        UNPARSED;

        /** The content of a message that has been parsed. */
        public static Content of(boolean bodyless) {
            return bodyless ? NONE : BODY;
        }
    }

    /** A request that cannot be parsed at all: nothing that follows on its connection can be parsed either. */
    public static DecodedRequest malformed(Refusal refusal) {
        return malformed(refusal, null, null);
    }

    /** As {@link #malformed(Refusal)}, with what could be read of it, for the record. */
    public static DecodedRequest malformed(
            Refusal refusal, @Nullable RequestMessage head, @Nullable Destination destination) {
        return new DecodedRequest(head, destination, null, refusal, null, Terms.UNPARSED, Content.UNPARSED);
    }

    /** The same of this caller. */
    public DecodedRequest of(Principal whose) {
        return new DecodedRequest(head, destination, whose, refusal, takeover, terms, content);
    }

    /** This request, once it turns out that it cannot be parsed. */
    public DecodedRequest turnedMalformed(Refusal why) {
        return new DecodedRequest(head, destination, caller, why, null, Terms.UNPARSED, Content.UNPARSED);
    }

    /** This request without its head, after the response. */
    public DecodedRequest withoutHead() {
        Content parsed = content == Content.NONE ? Content.NONE : Content.BODY;
        return new DecodedRequest(
                null, null, null, refusal, takeover instanceof Takeover.Upgrade ? takeover : null, terms, parsed);
    }

    /** The target as a CONNECT request states it, or null. */
    public @Nullable String connect() {
        return takeover instanceof Takeover.Tunnel tunnel ? tunnel.target() : null;
    }

    /** The protocol to which the client asks to switch, or null. */
    public @Nullable String upgrade() {
        return takeover instanceof Takeover.Upgrade upgrade ? upgrade.token() : null;
    }

    /** Whether the message ends with its head. */
    public boolean bodyless() {
        return content == Content.NONE;
    }

    /** Whether the request could not be parsed. */
    public boolean malformed() {
        return content == Content.UNPARSED;
    }

    /** Whether the response has no body whatever its head says. */
    public boolean headOnly() {
        return head != null && head.method().equals("HEAD");
    }
}

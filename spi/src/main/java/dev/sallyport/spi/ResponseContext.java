package dev.sallyport.spi;

import java.time.Duration;

/**
 * One response, as one transform sees it. Implemented by the engine and the test kit. Validity as
 * {@link RequestContext}.
 */
public interface ResponseContext {

    /** See {@link RequestContext#exchangeId()}. */
    String exchangeId();

    /** The destination of the request. */
    Destination destination();

    /** The head of the request as it was forwarded. */
    RequestHead request();

    /** The head as the transforms after this one left it. */
    ResponseHead head();

    /**
     * Whether {@link ResponseDecision#repeat} is possible: the origin has answered a GET or HEAD without a body that has
     * not been repeated yet, and no later transform signed it.
     */
    default boolean repeatable() {
        return false;
    }

    /** Whether a transform answered, rather than the upstream. */
    boolean answeredLocally();

    /**
     * The body that a {@link ResponseDecision.Read} of this transform brought.
     *
     * @throws IllegalStateException when this transform has not read it
     */
    Body body();

    /** This transform's entry in the audit record. */
    Trace trace();

    /** How long this transform may still take. */
    Duration remaining();
}

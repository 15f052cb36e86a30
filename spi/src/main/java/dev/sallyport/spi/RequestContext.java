package dev.sallyport.spi;

import java.time.Duration;

/**
 * One request, as one transform sees it. Implemented by the engine and the test kit.
 *
 * <p>Valid during an inline call; frozen and valid until its stage completes for asynchronous and blocking code.
 */
public interface RequestContext {

    /** Unique for the life of the proxy; the same in audit records and problem documents. */
    String exchangeId();

    /** The connection. */
    Connection connection();

    /** The one destination of this exchange. No edit changes it. */
    Destination destination();

    /** How much of the request is visible. */
    Visibility visibility();

    /** The head as the transforms before this one left it. */
    RequestHead head();

    /**
     * The body that a {@link Decision.Read} of this transform brought.
     *
     * @throws IllegalStateException when this transform has not read it
     */
    Body body();

    /** This transform's entry in the audit record. */
    Trace trace();

    /** How long this transform may still take. */
    Duration remaining();
}

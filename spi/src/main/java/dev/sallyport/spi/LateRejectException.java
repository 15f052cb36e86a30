package dev.sallyport.spi;

import java.util.Objects;

/**
 * Refuses a message whose head has already been forwarded. Thrown by a {@link BodyCheck}, {@link BodyRewriter} or
 * {@link TrailerEditor} because of the bytes that it is looking at, which are then not forwarded.
 *
 * <p>The message is aborted, so that its receiver cannot take the received part for the whole. As long as no response
 * has begun, the client gets the refusal as if it had been a {@link Decision.Reject}; afterwards its response is
 * aborted as well. An observer cannot refuse: see {@link BodyObserver}.
 */
public final class LateRejectException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision.Reject reject;

    /** @param reject the refusal, without a document of its own */
    public LateRejectException(Decision.Reject reject) {
        super(reject.code(), null, false, false);
        if (reject.response() != null) {
            throw new IllegalArgumentException("reject: with a response (expected: status, code and detail only)");
        }
        this.reject = Objects.requireNonNull(reject, "reject");
    }

    /** The refusal. */
    public Decision.Reject reject() {
        return reject;
    }
}

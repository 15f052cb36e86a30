package dev.sallyport.toolkit.token;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** No token could be obtained. Contains no text from outside and no secret. */
public final class MintException extends Exception {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    /**
     * A failure.
     *
     * @param reason stable, lower snake case, such as {@code invalid_grant}; shown to clients and in audit records
     */
    public MintException(String reason) {
        this(reason, null);
    }

    /**
     * A failure after which the issuer asks to back off.
     *
     * @param retryAfter for how long (RFC 9110, 10.2.3), or null when it did not say
     */
    public MintException(String reason, @Nullable Duration retryAfter) {
        super(reason, null, false, false);
        this.retryAfter = retryAfter;
    }

    /** The reason, in lower snake case. */
    public String reason() {
        return String.valueOf(getMessage());
    }

    /** For how long to back off, or null when the issuer did not say. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}

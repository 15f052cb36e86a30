package dev.sallyport.core.body;

import dev.sallyport.spi.Decision;
import org.jspecify.annotations.Nullable;

/**
 * The reason for which a body could not be read or forwarded.
 *
 * @param kind what happened
 * @param position the transform whose stage or read failed, by its place in the pipeline; {@link #NOBODY} when none
 * @param detail a sentence that holds nothing of the body and nothing of the configuration
 * @param reject the transform's refusal, or null if none refused
 */
public record BodyFailure(Kind kind, int position, String detail, Decision.@Nullable Reject reject) {

    /** The position of a failure that no transform caused, and of the stages of the engine itself. */
    public static final int NOBODY = -1;

    /** What happened. */
    public enum Kind {
        /** The body is longer than the reader may buffer, or expands too much. */
        TOO_LARGE,
        /** A content coding that cannot be removed here. */
        UNSUPPORTED_CODING,
        /** The content coding is broken. */
        CORRUPT_CODING,
        /** All bodies together exceed the budget. */
        OVER_BUDGET,
        /** A rewriter, check or trailer editor threw, or broke its promise. */
        STAGE_FAILED,
        /** A rewriter, check or trailer editor refused the message. */
        REJECTED,
        /** The body did not arrive in time. */
        TIMEOUT,
        /** The sender aborted the body. */
        ABORTED
    }

    /** A failure that is not a refusal. */
    public BodyFailure(Kind kind, int position, String detail) {
        this(kind, position, detail, null);
    }

    static BodyFailure aborted() {
        return new BodyFailure(Kind.ABORTED, NOBODY, "the sender broke the message off");
    }
}

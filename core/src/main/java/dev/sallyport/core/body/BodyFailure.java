package dev.sallyport.core.body;

/**
 * Why a body could not be read or passed on.
 *
 * @param kind what happened
 * @param position the transform whose stage or read it was, by its place in the pipeline; {@link #NOBODY} when none
 * @param detail a sentence that holds nothing of the body and nothing of the configuration
 */
public record BodyFailure(Kind kind, int position, String detail) {

    /** The position of a failure that no transform caused. */
    public static final int NOBODY = -1;

    /** What happened. */
    public enum Kind {
        /** Longer than the reader may have buffered, or expands beyond all measure. */
        TOO_LARGE,
        /** A content coding that cannot be removed here. */
        UNSUPPORTED_CODING,
        /** The content coding is broken. */
        CORRUPT_CODING,
        /** All bodies together hold too much. */
        OVER_BUDGET,
        /** A rewriter or trailer editor threw, or broke its promise. */
        STAGE_FAILED,
        /** It did not arrive in time. */
        TIMEOUT,
        /** The sender broke off. */
        ABORTED
    }

    static BodyFailure aborted() {
        return new BodyFailure(Kind.ABORTED, NOBODY, "the sender broke the message off");
    }
}

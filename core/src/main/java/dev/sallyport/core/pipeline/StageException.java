package dev.sallyport.core.pipeline;

import dev.sallyport.core.meter.HeapExhaustion;

/**
 * A transform has broken its contract or could not finish: the exchange is refused (docs/design.md, section 1, law 1).
 *
 * <p>The message is for the operator; clients see the code alone.
 */
final class StageException extends RuntimeException {

    /** How many bytes all edits of one head may add to it. No origin accepts nearly as much. */
    static final long MOST_GROWTH = 256 * 1024;

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final String text;

    StageException(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.text = message;
    }

    static StageException broken(String message) {
        return new StageException(500, "transform_failed", message);
    }

    /** Transforms have put too much into the head. */
    static StageException headTooLarge() {
        return new StageException(
                403, "edited_head_too_large", "more than " + MOST_GROWTH + " bytes were added to the head");
    }

    static StageException late(String message) {
        return new StageException(503, "transform_timeout", message);
    }

    static StageException overloaded(String message) {
        return new StageException(503, "overloaded", message);
    }

    /**
     * The meaning of a failure of any kind for the exchange. Messages of foreign exceptions are not shown: they may
     * leak.
     */
    static StageException of(Throwable failure) {
        if (failure instanceof StageException fault) {
            return fault;
        }
        OutOfMemoryError memory = HeapExhaustion.memory(failure);
        if (memory != null) {
            HeapExhaustion.note(memory);
            return overloaded("no memory: " + memory.getClass().getSimpleName());
        }
        return broken(failure.getClass().getSimpleName());
    }

    /** What went wrong, for the operator. */
    String text() {
        return text;
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}

package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.toolkit.coding.CodingException;
import org.jspecify.annotations.Nullable;

/** Carries a failure up through the stages to the body. */
final class BodyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient BodyFailure failure;

    BodyException(BodyFailure failure, @Nullable Throwable cause) {
        super(failure.detail(), cause, false, false);
        this.failure = failure;
    }

    BodyException(Kind kind, int position, String detail) {
        this(new BodyFailure(kind, position, detail), null);
    }

    static BodyException stage(int position, String what, Throwable cause) {
        if (cause instanceof BodyException own) {
            return own;
        }
        if (cause instanceof LateRejectException late) {
            Decision.Reject reject = late.reject();
            return new BodyException(new BodyFailure(Kind.REJECTED, position, reject.detail(), reject), cause);
        }
        OutOfMemoryError memory = HeapExhaustion.memory(cause);
        HeapExhaustion.note(memory);
        String detail = what + ": " + cause.getClass().getSimpleName();
        Kind kind = memory == null ? Kind.STAGE_FAILED : Kind.OVER_BUDGET;
        return new BodyException(new BodyFailure(kind, position, detail), cause);
    }

    static BodyException coding(int position, CodingException cause) {
        return new BodyException(codingFailure(position, cause), cause);
    }

    static BodyFailure codingFailure(int position, CodingException cause) {
        Kind kind = cause.reason() == CodingException.Reason.TOO_LARGE ? Kind.TOO_LARGE : Kind.CORRUPT_CODING;
        return new BodyFailure(kind, position, String.valueOf(cause.getMessage()));
    }

    BodyFailure failure() {
        return failure;
    }
}

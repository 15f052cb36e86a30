package dev.sallyport.core.net.request;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/** Aborts decoding of a request that is refused. Has no stack trace: it is a response, not a fault. */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;
    private final transient @Nullable Destination destination;

    RefusedException(Refusal refusal, @Nullable Destination destination) {
        super(refusal.code(), null, false, false);
        this.refusal = refusal;
        this.destination = destination;
    }

    public static RefusedException badRequest(String detail) {
        return new RefusedException(Refusal.badRequest(detail), null);
    }

    static RefusedException misdirected(String detail, Destination named) {
        return new RefusedException(Refusal.misdirected(detail), named);
    }

    public Refusal refusal() {
        return refusal;
    }

    /** The intended destination, as far as it is known. */
    public @Nullable Destination destination() {
        return destination;
    }
}

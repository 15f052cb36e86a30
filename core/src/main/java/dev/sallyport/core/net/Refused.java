package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/** Leaves the reading of a request that is refused. Has no stack trace: it is an answer, not a fault. */
final class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;
    private final transient @Nullable Destination destination;

    Refused(Refusal refusal, @Nullable Destination destination) {
        super(refusal.code(), null, false, false);
        this.refusal = refusal;
        this.destination = destination;
    }

    static Refused badRequest(String detail) {
        return new Refused(Refusal.badRequest(detail), null);
    }

    static Refused misdirected(String detail, Destination named) {
        return new Refused(Refusal.misdirected(detail), named);
    }

    Refusal refusal() {
        return refusal;
    }

    /** Where the request would have gone, as far as that is known. */
    @Nullable Destination destination() {
        return destination;
    }
}

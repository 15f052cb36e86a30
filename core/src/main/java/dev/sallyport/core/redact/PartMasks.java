package dev.sallyport.core.redact;

import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the parts at whose edges something was masked for one workload. A workload that stores texts of its own choice
 * and fetches parts of them learns from each mask that it has guessed a piece of a value, and could go on from there
 * byte by byte: beyond {@value #MOST}, it gets no parts any more, and those under way end before their edges. Thread-safe.
 */
final class PartMasks implements BodyCheck {

    /** So many masks may be coincidences. */
    static final int MOST = 3;

    private final AtomicInteger count = new AtomicInteger();

    /** Something was masked. */
    void add() {
        count.incrementAndGet();
    }

    /** Whether there were too many. */
    boolean exhausted() {
        return count.get() >= MOST;
    }

    @Override
    public void data(ByteBuffer bytes) {
        end();
    }

    /** Ends a part that began before there were too many, whether or not something would be masked. */
    @Override
    public void end() {
        if (exhausted()) {
            ResponseSearch.Fault fault = ResponseSearch.Fault.PART;
            throw new LateRejectException(Decision.reject(502, fault.code(), fault.detail()));
        }
    }
}

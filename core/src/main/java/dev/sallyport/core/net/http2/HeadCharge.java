package dev.sallyport.core.net.http2;

import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.http.HeadMeter;

/** One stream's share of the head budget: its whole head until answered, then the fixed cost of a stream. */
final class HeadCharge {

    private final HeadMeter account;
    private int held = HeadBudget.EXCHANGE_COST;

    /** For a stream that has taken {@link HeadBudget#EXCHANGE_COST}. */
    HeadCharge(HeadMeter account) {
        this.account = account;
    }

    /** Takes over the charge for a head or for trailers. */
    void add(int taken) {
        held += taken;
    }

    /** The response was handed over; the head is no longer needed. Idempotent. */
    void answered() {
        if (held > HeadBudget.EXCHANGE_COST) {
            account.give(held - HeadBudget.EXCHANGE_COST);
            held = HeadBudget.EXCHANGE_COST;
        }
    }

    /** The stream is gone. Idempotent. */
    void left() {
        account.give(held);
        held = 0;
    }
}

package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;

/** One body's share of the budget. */
final class BodyAccount {

    private final BodyBudget budget;
    private long held;
    private boolean exceeded;

    BodyAccount(BodyBudget budget) {
        this.budget = budget;
    }

    void take(long bytes) {
        held += bytes;
        if (!budget.take(bytes)) {
            exceeded = true;
        }
    }

    void give(long bytes) {
        held -= bytes;
        budget.give(bytes);
    }

    long held() {
        return held;
    }

    /**
     * Counts bytes that are about to be made.
     *
     * @throws BodyException when the budget has no room for them, which are not counted then
     */
    void reserve(long bytes, int position) {
        if (!budget.take(bytes)) {
            budget.give(bytes);
            throw new BodyException(Kind.OVER_BUDGET, position, "the proxy holds as many bytes of bodies as it can");
        }
        held += bytes;
    }

    /** Whether the limit was passed since {@link #expectRoom}. */
    boolean exceeded() {
        return exceeded;
    }

    /** Starts watching the limit again. */
    void expectRoom() {
        exceeded = false;
    }
}

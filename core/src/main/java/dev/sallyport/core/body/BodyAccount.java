package dev.sallyport.core.body;

/** What one body holds of the shared budget. */
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

    /** Whether the limit was passed since {@link #expectRoom}. */
    boolean exceeded() {
        return exceeded;
    }

    /** Starts to watch the limit anew. */
    void expectRoom() {
        exceeded = false;
    }
}

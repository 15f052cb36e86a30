package dev.sallyport.mcp;

import dev.sallyport.spi.Meters;

/** The metric {@code decisions}. Thread-safe. */
final class DecisionCounter {

    static final String ALLOW = "allow";
    static final String DENY = "deny";
    static final String FILTERED = "filtered";

    /** Stands for names that the policy does not know, and for messages without a name. */
    static final String OTHER = "other";

    private final Meters.Family<Meters.Counter> decisions;

    DecisionCounter(Meters meters) {
        decisions = meters.counter(
                "decisions", "Decisions about judged messages and about items of lists.", "server", "tool", "decision");
    }

    void add(String server, String tool, String decision, long amount) {
        decisions.of(server, tool, decision).add(amount);
    }
}

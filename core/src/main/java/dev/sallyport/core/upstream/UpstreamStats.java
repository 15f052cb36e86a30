package dev.sallyport.core.upstream;

import java.util.concurrent.atomic.LongAdder;

/** Counts upstream events. Thread-safe; the counters are not read as one snapshot. */
public final class UpstreamStats {

    final LongAdder dials = new LongAdder();
    final LongAdder dialFailures = new LongAdder();
    final LongAdder reuses = new LongAdder();
    final LongAdder open = new LongAdder();
    final LongAdder idle = new LongAdder();
    final LongAdder waiting = new LongAdder();

    UpstreamStats() {}

    /** Dials that have begun. */
    public long dials() {
        return dials.sum();
    }

    /** Dials that have failed, including the guard's refusals. */
    public long dialFailures() {
        return dialFailures.sum();
    }

    /** Exchanges that took a pooled connection. */
    public long reuses() {
        return reuses.sum();
    }

    /** Connections that serve an exchange now. */
    public long active() {
        return open.sum() - idle.sum();
    }

    /** Connections that wait in a pool now. */
    public long idle() {
        return idle.sum();
    }

    /** Exchanges that wait for an origin at its limit now. */
    public long waiting() {
        return waiting.sum();
    }
}

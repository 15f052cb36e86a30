package dev.sallyport.core.dns;

import java.util.concurrent.atomic.LongAdder;

/** Counters that the loop writes and any thread reads. */
final class DnsCounters {

    final LongAdder queries = new LongAdder();
    final LongAdder intercepted = new LongAdder();
    final LongAdder fixed = new LongAdder();
    final LongAdder passed = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder malformed = new LongAdder();
    final LongAdder limited = new LongAdder();
    final LongAdder ignored = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder truncated = new LongAdder();
    final LongAdder overTcp = new LongAdder();

    DnsStats snapshot() {
        return new DnsStats(
                queries.sum(),
                overTcp.sum(),
                new DnsStats.Answered(intercepted.sum(), fixed.sum(), passed.sum(), truncated.sum()),
                new DnsStats.Rejected(refused.sum(), malformed.sum(), limited.sum(), ignored.sum()),
                failed.sum());
    }
}

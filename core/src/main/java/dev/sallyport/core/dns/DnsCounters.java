package dev.sallyport.core.dns;

import java.util.concurrent.atomic.LongAdder;

/** Written by the loop, read by anyone. */
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
                intercepted.sum(),
                fixed.sum(),
                passed.sum(),
                refused.sum(),
                malformed.sum(),
                limited.sum(),
                ignored.sum(),
                failed.sum(),
                truncated.sum(),
                overTcp.sum());
    }
}

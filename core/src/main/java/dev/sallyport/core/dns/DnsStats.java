package dev.sallyport.core.dns;

/**
 * The counters of a DNS server since its start. Every query is counted once in {@link #queries}, and once in one of
 * those that follow up to {@link #ignored}, or as failed without being passed.
 *
 * @param queries messages that came in
 * @param intercepted answered by the proxy itself, with its address or with nothing
 * @param fixed answered from the static records alone
 * @param passed forwarded to the upstream resolver
 * @param refused of another class, zone transfers, names too long to be passed on
 * @param malformed not understood: FORMERR, NOTIMP, BADVERS
 * @param limited over the limit of their source
 * @param ignored no queries at all
 * @param failed not answered: by the upstream, because there were too many at a time, or because aliases had no end
 * @param truncated answers that did not fit
 * @param overTcp of all queries
 */
public record DnsStats(
        long queries,
        long intercepted,
        long fixed,
        long passed,
        long refused,
        long malformed,
        long limited,
        long ignored,
        long failed,
        long truncated,
        long overTcp) {}

package dev.sallyport.core.dns;

/**
 * The counters of a DNS server since its start. Every query is counted once in {@link #queries}, and once as answered,
 * rejected or, if it failed without being forwarded, in {@link #failed}.
 *
 * @param queries messages received
 * @param overTcp of all queries
 * @param answered queries that got the answer they asked for
 * @param rejected messages that did not
 * @param failed not answered: by the upstream, because there were too many at a time, or because of a cycle of aliases
 */
public record DnsStats(long queries, long overTcp, Answered answered, Rejected rejected, long failed) {

    /**
     * Queries by where their answer came from.
     *
     * @param intercepted answered by the proxy itself, with its address or with no record
     * @param fixed answered from the static records alone
     * @param passed forwarded to the upstream resolver
     * @param truncated answers that did not fit (RFC 1035, 4.1.1)
     */
    public record Answered(long intercepted, long fixed, long passed, long truncated) {}

    /**
     * Messages by why they were rejected.
     *
     * @param refused queries of another class, zone transfers, and names too long to be forwarded
     * @param malformed not understood: FORMERR, NOTIMP, BADVERS
     * @param limited over the limit of their source
     * @param ignored messages that are not queries
     */
    public record Rejected(long refused, long malformed, long limited, long ignored) {}
}

package dev.sallyport.control.audit;

import java.util.List;

/**
 * Events of a proxy, in the order in which it numbered them.
 *
 * @param proxy its identifier
 * @param epoch names the numbering: a proxy that lost its spool begins another one
 * @param events with ascending positions
 */
public record EgressBatch(String proxy, String epoch, List<Numbered> events) {

    /**
     * An event.
     *
     * @param position its number in the epoch
     * @param organization whose workload it was
     */
    public record Numbered(long position, String organization, EgressFacts facts) {}

    public EgressBatch {
        events = List.copyOf(events);
        long last = Long.MIN_VALUE;
        for (Numbered event : events) {
            if (event.position() <= last) {
                throw new IllegalArgumentException(
                        "position " + event.position() + " after " + last + " (expected: ascending positions)");
            }
            last = event.position();
        }
    }
}

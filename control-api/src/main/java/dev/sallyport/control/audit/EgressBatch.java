package dev.sallyport.control.audit;

import java.util.List;

/**
 * Events of a proxy, in the order in which it numbered them.
 *
 * @param proxy its identifier
 * @param epoch names the numbering: a proxy that lost its spool begins another one
 * @param events with ascending positions
 * @param last the position up to which the proxy has told all that it has: some need not be kept
 */
public record EgressBatch(String proxy, String epoch, List<Numbered> events, long last) {

    /** All of which are kept. */
    public EgressBatch(String proxy, String epoch, List<Numbered> events) {
        this(proxy, epoch, events, events.isEmpty() ? -1 : events.getLast().position());
    }

    /**
     * An event.
     *
     * @param position its number in the epoch
     * @param organization whose workload it was
     */
    public record Numbered(long position, String organization, EgressFacts facts) {}

    public EgressBatch {
        events = List.copyOf(events);
        long before = Long.MIN_VALUE;
        for (Numbered event : events) {
            if (event.position() <= before || event.position() > last) {
                throw new IllegalArgumentException("position " + event.position() + " after " + before
                        + " (expected: ascending positions, up to " + last + ")");
            }
            before = event.position();
        }
    }
}

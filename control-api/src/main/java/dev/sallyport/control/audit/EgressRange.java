package dev.sallyport.control.audit;

import dev.sallyport.control.model.Millis;
import dev.sallyport.control.model.PageRequest;
import java.util.Arrays;

/**
 * Identifiers between two, so that an index is entered where the page begins, however many conditions say where that is.
 *
 * @param low inclusive
 * @param high exclusive
 */
record EgressRange(byte[] low, byte[] high) {

    private static final int BYTES = 16;

    /** What lies within the times of a filter, after the end of the last page. */
    static EgressRange of(EgressFilter filter, PageRequest page) {
        byte[] low = filter.since() == null ? new byte[BYTES] : EventIds.first(Millis.ceiling(filter.since()));
        byte[] high = filter.until() == null ? last() : EventIds.first(Millis.ceiling(filter.until()));
        byte[] after = page.after() == null ? null : EventIds.parse(page.after().id());
        if (after == null) {
            return new EgressRange(low, high);
        }
        return page.descending() ? new EgressRange(low, least(high, after)) : new EgressRange(next(low, after), high);
    }

    private static byte[] last() {
        byte[] last = new byte[BYTES];
        Arrays.fill(last, (byte) 0xFF);
        return last;
    }

    private static byte[] least(byte[] high, byte[] after) {
        return EventIds.compare(after, high) < 0 ? after : high;
    }

    /** What follows the greater one; the last one itself, which is in no range, since nothing follows it. */
    private static byte[] next(byte[] low, byte[] after) {
        if (EventIds.compare(after, low) < 0) {
            return low;
        }
        byte[] next = after.clone();
        for (int at = next.length - 1; at >= 0; at--) {
            if (++next[at] != 0) {
                return next;
            }
        }
        return after;
    }

    /** Nothing: the identifiers would have to be before and after the same moment. */
    boolean isEmpty() {
        return EventIds.compare(low, high) >= 0;
    }
}

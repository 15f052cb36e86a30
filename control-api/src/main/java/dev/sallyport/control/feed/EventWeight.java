package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.core.audit.ObservedEgress;
import java.util.List;

/** What events take of the memory, in bytes. */
final class EventWeight {

    /** The bytes that an event takes beside its texts, and each replacement in it. */
    private static final int EVENT = 500;

    private static final int REPLACEMENT = 100;

    /** What the replacements of a small event may take: one or a few of the usual length. */
    private static final int SMALL = 1024;

    /** The most that an event without replacements takes. */
    static final long BARE =
            EVENT + (long) Character.BYTES * (ObservedEgress.LONGEST_HOST + ObservedEgress.LONGEST_RANGE);

    private EventWeight() {}

    static long of(EgressFacts facts) {
        String range = facts.target().cidr();
        long chars = (long) facts.target().host().length() + (range == null ? 0 : range.length());
        long bytes = EVENT + Character.BYTES * chars;
        for (EgressEvent.Replacement replacement : facts.replacements()) {
            bytes += of(replacement);
        }
        return bytes;
    }

    private static long of(EgressEvent.Replacement replacement) {
        int chars = replacement.secret().length() + replacement.location().length();
        return REPLACEMENT + (long) Character.BYTES * chars;
    }

    /** The event with the first of its replacements, up to that for which a small one has no room; or the same. */
    static EgressFacts small(EgressFacts facts) {
        return within(facts, SMALL);
    }

    /** The event without its replacements. */
    static EgressFacts bare(EgressFacts facts) {
        return within(facts, 0);
    }

    private static EgressFacts within(EgressFacts facts, int most) {
        long bytes = 0;
        List<EgressEvent.Replacement> all = facts.replacements();
        for (int i = 0; i < all.size(); i++) {
            bytes += of(all.get(i));
            if (bytes > most) {
                return new EgressFacts(facts.at(), facts.vmId(), facts.target(), facts.outcome(), all.subList(0, i));
            }
        }
        return facts;
    }
}

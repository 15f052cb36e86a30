package dev.sallyport.control.audit;

import dev.sallyport.control.model.EgressMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of an event that are few: protocol, verdict, allowed, mode and dial, folded into one number. Indexes begin with
 * it instead of with five columns of which each halves the rows, so that a filter by any of them is some look-ups, one for
 * each class, and never a scan.
 */
record EgressClass(EgressEvent.Protocol protocol, EgressFacts.Outcome outcome) {

    private static final List<EgressClass> ALL = all();

    private static List<EgressClass> all() {
        List<EgressClass> all = new ArrayList<>(all(null)); // those first: they are older
        for (EgressEvent.Dial dial : EgressEvent.Dial.values()) {
            all.addAll(all(dial));
        }
        return List.copyOf(all);
    }

    private static List<EgressClass> all(EgressEvent.@Nullable Dial dial) {
        List<EgressClass> all = new ArrayList<>();
        for (EgressEvent.Protocol protocol : EgressEvent.Protocol.values()) {
            for (EgressEvent.Verdict verdict : EgressEvent.Verdict.values()) {
                for (EgressMode mode : EgressMode.values()) {
                    all.add(new EgressClass(protocol, new EgressFacts.Outcome(verdict, true, mode, dial)));
                    all.add(new EgressClass(protocol, new EgressFacts.Outcome(verdict, false, mode, dial)));
                }
            }
        }
        return all;
    }

    /** That of an event. */
    static EgressClass of(EgressFacts facts) {
        return new EgressClass(facts.target().protocol(), facts.outcome());
    }

    /** That of a number. */
    static EgressClass of(int number) {
        return ALL.get(number);
    }

    /** Those that a filter lets through. */
    static List<EgressClass> matching(EgressFilter.Outcome filter) {
        return ALL.stream().filter(filter::matches).toList();
    }

    /** Stored: the order of the constants must not change. */
    int number() {
        return ALL.indexOf(this);
    }
}

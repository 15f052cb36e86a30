package dev.sallyport.control.audit;

import dev.sallyport.control.model.EgressMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Every combination of filters, at the beginning and anywhere, in both orders, for a large account and a small one. */
final class Questions {

    private static final int SUBJECTS = 8;
    private static final int OUTCOMES = 32;

    private final SomeEvents events;

    Questions(SomeEvents events) {
        this.events = events;
    }

    List<Question> all() {
        List<Question> all = new ArrayList<>();
        for (int subject = 0; subject < SUBJECTS; subject++) {
            for (int outcome = 0; outcome < OUTCOMES; outcome++) {
                EgressFilter.Subject of = subject(subject);
                EgressFilter.Outcome with = outcome(outcome);
                for (String organization : List.of("org_0", "org_40")) {
                    for (boolean descending : new boolean[] {true, false}) {
                        EgressFilter any = new EgressFilter(of, with, null, null);
                        all.add(new Question("first page", organization, any, descending, false));
                        all.add(new Question("anywhere", organization, any, descending, true));
                        all.add(new Question("first page of some days", organization, days(any), descending, false));
                    }
                }
            }
        }
        Collections.shuffle(all, new Random(7));
        return all;
    }

    private EgressFilter days(EgressFilter any) {
        Instant since = Instant.now().minus(Duration.ofDays(10 + events.random().nextInt(60)));
        return new EgressFilter(any.subject(), any.outcome(), since, since.plus(Duration.ofDays(5)));
    }

    private static boolean has(int bits, int bit) {
        return (bits >> bit & 1) != 0;
    }

    /** What there is often, or seldom, or not at all. */
    private EgressFilter.Subject subject(int bits) {
        String range = events.range();
        String host =
                has(bits, 2) ? range.replace("0.0/16", "0." + events.random().nextInt(9)) : events.host();
        return new EgressFilter.Subject(
                has(bits, 0) ? events.vm() : null, has(bits, 1) ? host : null, has(bits, 2) ? range : null);
    }

    private EgressFilter.Outcome outcome(int bits) {
        return new EgressFilter.Outcome(
                has(bits, 0) ? any(EgressEvent.Protocol.values()) : null,
                has(bits, 1) ? any(EgressEvent.Verdict.values()) : null,
                has(bits, 2) ? events.random().nextBoolean() : null,
                has(bits, 3) ? any(EgressMode.values()) : null,
                has(bits, 4) ? any(EgressEvent.Dial.values()) : null);
    }

    private <T> @Nullable T any(T[] values) {
        return values[events.random().nextInt(values.length)];
    }
}

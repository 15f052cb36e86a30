package dev.sallyport.control.audit;

import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Events of few values, so that filters find some. */
final class AnyEvents {

    private static final Instant START = Instant.ofEpochMilli(1_760_000_000_000L);

    private final Random random;

    AnyEvents(Random random) {
        this.random = random;
    }

    <T> @Nullable T oneOf(T[] values) {
        return values[random.nextInt(values.length)];
    }

    <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }

    EgressFacts facts(long at) {
        boolean range = random.nextInt(4) == 0;
        return new EgressFacts(
                START.plusMillis(at),
                oneOf(new String[] {"vm_1", "vm_2", null}),
                new EgressFacts.Target(
                        range ? "10.0.0." + random.nextInt(3) : "h" + random.nextInt(3),
                        range ? "10.0.0.0/" + (8 + random.nextInt(2)) : null,
                        any(EgressEvent.Protocol.values())),
                new EgressFacts.Outcome(
                        any(EgressEvent.Verdict.values()),
                        random.nextBoolean(),
                        any(EgressMode.values()),
                        random.nextBoolean() ? null : any(EgressEvent.Dial.values())),
                List.of());
    }
}

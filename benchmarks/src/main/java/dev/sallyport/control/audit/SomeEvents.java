package dev.sallyport.control.audit;

import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Events as an installation has them: half are of one account, most go to a few hosts, nearly all are allowed, and some
 * are of kinds that are rare. Thread-safe.
 */
final class SomeEvents {

    private static final int ORGANIZATIONS = 50;
    private static final int VMS = 300;
    private static final int HOSTS = 5000;
    private static final int RANGES = 40;

    private final ThreadLocal<SplittableRandom> random =
            ThreadLocal.withInitial(() -> new SplittableRandom(System.nanoTime()));
    private final AtomicLong positions = new AtomicLong();
    private final String epoch = "e" + System.nanoTime();

    SplittableRandom random() {
        return random.get();
    }

    /** Few of them have most. */
    private int few(int of) {
        double part = random().nextDouble();
        return (int) (of * part * part * part * part);
    }

    String organization() {
        return random().nextBoolean() ? "org_0" : "org_" + (1 + few(ORGANIZATIONS));
    }

    String vm() {
        return "vm_" + few(VMS);
    }

    String host() {
        return "host-" + few(HOSTS) + ".example.com";
    }

    String range() {
        return "10." + few(RANGES) + ".0.0/16";
    }

    EgressBatch batch(int proxy, int size, long from, long span) {
        List<EgressBatch.Numbered> events = new ArrayList<>();
        long first = positions.getAndAdd(size);
        for (int i = 0; i < size; i++) {
            events.add(new EgressBatch.Numbered(first + i, organization(), facts(from + random().nextLong(span))));
        }
        return new EgressBatch("prx_" + proxy, epoch, events);
    }

    private EgressFacts facts(long at) {
        boolean isRange = random().nextInt(10) == 0;
        String range = isRange ? range() : null;
        return new EgressFacts(
                Instant.ofEpochMilli(at),
                random().nextInt(10) == 0 ? null : vm(),
                new EgressFacts.Target(
                        range == null ? host() : range.replace("0.0/16", "0." + random().nextInt(9)),
                        range,
                        protocol()),
                outcome(),
                List.of());
    }

    private EgressEvent.Protocol protocol() {
        int any = random().nextInt(100);
        return any < 85 ? EgressEvent.Protocol.TLS : any < 99 ? EgressEvent.Protocol.HTTP : EgressEvent.Protocol.TCP;
    }

    private EgressFacts.Outcome outcome() {
        EgressMode mode = random().nextInt(50) == 0 ? EgressMode.WARN : EgressMode.ENFORCE;
        boolean denied = random().nextInt(20) == 0;
        boolean allowed = denied ? mode == EgressMode.WARN : random().nextInt(500) != 0;
        return new EgressFacts.Outcome(
                denied ? EgressEvent.Verdict.DENIED : EgressEvent.Verdict.ALLOWED, allowed, mode, dial(allowed));
    }

    private EgressEvent.@Nullable Dial dial(boolean allowed) {
        if (!allowed || random().nextInt(10) == 0) {
            return null;
        }
        return random().nextInt(200) == 0 ? EgressEvent.Dial.FAILED : EgressEvent.Dial.CONNECTED;
    }
}

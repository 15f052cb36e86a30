package dev.sallyport.sandbox;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How long the changes of a {@link FakeDriver} take. Safe for use by many threads. */
final class FakeHold {

    private final Duration pause;
    private Predicate<VmId> held = none -> false;

    /** @param pause how long each takes at least */
    FakeHold(Duration pause) {
        this.pause = pause;
    }

    synchronized void hold(@Nullable Predicate<VmId> which) {
        held = which == null ? none -> false : which;
        notifyAll();
    }

    synchronized void awaitTurn(VmId id) throws InterruptedException {
        while (held.test(id)) {
            wait();
        }
    }

    void takeTime(VmId id) throws InterruptedException {
        awaitTurn(id);
        if (!pause.isZero()) {
            Thread.sleep(pause);
        }
    }
}

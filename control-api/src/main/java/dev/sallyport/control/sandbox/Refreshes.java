package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives guests that run the environment that their accounts have now, as soon as there is a place. What a VM was given is
 * written down, so that a kill at any moment is followed by the same work; none of it makes a VM fail. {@link #due} is for one
 * thread; for the rest, the {@link Reconciler} lets one thread at a time work on a VM.
 */
@Singleton
final class Refreshes {

    private static final Logger LOG = LoggerFactory.getLogger(Refreshes.class);

    /** How many are worked on at a time. */
    private static final int MOST = 12;

    /** Of these, one organization's: a guest that hangs holds its place for a quarter of a minute. */
    private static final int MOST_OF_ORGANIZATION = 2;

    /** So long a VM is left alone after it was given something: changes that come meanwhile are one. */
    private static final Duration REST = Duration.ofMillis(500);

    /** So long a failure is known of a VM after its pause. */
    private static final Duration MEMORY = Duration.ofMinutes(10);

    private final VmLedger ledger;
    private final VmDriver driver;
    private final GuestSpecs specs;

    /** Those that are worked on, with their organizations. */
    private final Map<String, String> busy = new ConcurrentHashMap<>();

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();

    /** Whose turn it was last. */
    private String last = "";

    /** What may be in the way. */
    private enum Obstacle {
        /** The driver is away, or the guest has ended; neither is told of here. */
        DRIVER(Duration.ofMillis(200), Duration.ofSeconds(30), Integer.MAX_VALUE),
        /** The guest does not take it, or nobody knows. */
        GUEST(Duration.ofMillis(200), Duration.ofMinutes(5), 3),
        /** Values that cannot be decrypted; each attempt is in the log. */
        VALUES(Duration.ofMinutes(1), Duration.ofHours(1), 1);

        private final Duration first;
        private final Duration last;
        private final int patience;

        /**
         * @param first the pause before it is tried again
         * @param last the longest pause
         * @param patience how often in a row it fails until the events tell
         */
        Obstacle(Duration first, Duration last, int patience) {
            this.first = first;
            this.last = last;
            this.patience = patience;
        }

        static Obstacle of(VmException fault) {
            return switch (fault.reason()) {
                case UNAVAILABLE, NOT_FOUND, CONFLICT -> DRIVER;
                default -> GUEST;
            };
        }
    }

    /**
     * That a VM is left alone.
     *
     * @param until by {@link System#nanoTime}
     * @param failures how often in a row it has failed
     * @param told whether the events tell that
     */
    private record Pause(long until, int failures, boolean told) {

        static final Pause NONE = new Pause(0, 0, false);

        static Pause rest() {
            return new Pause(System.nanoTime() + REST.toNanos(), 0, false);
        }

        Pause next(Obstacle obstacle, boolean tells) {
            Duration length = Pauses.doubled(obstacle.first, failures, obstacle.last);
            return new Pause(System.nanoTime() + length.toNanos(), failures + 1, told || tells);
        }

        /** In nanoseconds. */
        long left() {
            return until - System.nanoTime();
        }

        /** What has failed is known for longer: a VM may be stopped meanwhile. */
        boolean isForgotten() {
            return left() < (failures == 0 ? 0 : -MEMORY.toNanos());
        }
    }

    Refreshes(VmLedger ledger, VmDriver driver, GuestSpecs specs) {
        this.ledger = ledger;
        this.driver = driver;
        this.specs = specs;
    }

    /** Those that have another environment than their accounts and are not left alone now, in the order of their turns. */
    List<VmLedger.Outdated> due() {
        pauses.values().removeIf(Pause::isForgotten);
        List<VmLedger.Outdated> all = ledger.outdated();
        List<VmLedger.Outdated> due = new ArrayList<>();
        all.stream().filter(vm -> vm.id().compareTo(last) > 0).forEach(due::add);
        all.stream().filter(vm -> vm.id().compareTo(last) <= 0).forEach(due::add);
        due.removeIf(vm -> {
            Pause pause = pauses.get(vm.id());
            return pause != null && pause.left() > 0;
        });
        return due;
    }

    /** How many milliseconds nothing else is due, at most as many as this. */
    long pause(long most) {
        return pauses.values().stream()
                .mapToLong(Pause::left)
                .filter(left -> left > 0)
                .map(left -> TimeUnit.NANOSECONDS.toMillis(left) + 1)
                .reduce(most, Math::min);
    }

    /** Takes a place for one that is due; false when there is none. */
    boolean begin(VmLedger.Outdated vm) {
        boolean free = busy.size() < MOST
                && busy.values().stream().filter(vm.organization()::equals).count() < MOST_OF_ORGANIZATION;
        if (free) {
            busy.put(vm.id(), vm.organization());
            last = vm.id();
        }
        return free;
    }

    /** Works on one that has a place, and gives the place back. */
    void work(String id) throws InterruptedException {
        try {
            VmRow vm = ledger.find(id).orElse(null);
            if (vm != null && vm.state().detail() == VmDetail.READY) {
                settle(vm);
            }
        } finally {
            busy.remove(id);
        }
    }

    /** Works on one whose guest runs, where that is necessary. When it fails, it is tried again later. */
    void settle(VmRow vm) throws InterruptedException {
        if (!ledger.isOutdated(vm)) {
            return;
        }
        try {
            GuestSpecs.Environment environment = specs.environment(vm);
            driver.refresh(vm.driverId(), environment.variables());
            ledger.given(vm, environment);
            if (environment.number() == null) {
                failed(vm, Obstacle.VALUES, "variables that cannot be decrypted now are left out");
            } else {
                succeeded(vm);
            }
        } catch (VmException e) {
            failed(vm, Obstacle.of(e), e.getMessage());
        }
    }

    private void succeeded(VmRow vm) {
        Pause before = pauses.put(vm.id(), Pause.rest());
        if (before != null && before.told()) {
            ledger.tell(vm, "it has the environment of its account");
        }
    }

    private void failed(VmRow vm, Obstacle obstacle, String message) {
        Pause before = pauses.getOrDefault(vm.id(), Pause.NONE);
        boolean tells = !before.told() && before.failures() + 1 >= obstacle.patience;
        pauses.put(vm.id(), before.next(obstacle, tells));
        if (tells) {
            LOG.warn("VM {} does not get the environment of its account; it is tried again: {}", vm.id(), message);
            ledger.tell(vm, "it does not get the environment of its account: " + message + "; it is tried again");
        } else {
            LOG.debug("VM {} does not get the environment of its account: {}", vm.id(), message);
        }
    }

    /** After an error that nobody has expected. */
    void putOff(String id) {
        pauses.put(id, pauses.getOrDefault(id, Pause.NONE).next(Obstacle.GUEST, false));
    }
}

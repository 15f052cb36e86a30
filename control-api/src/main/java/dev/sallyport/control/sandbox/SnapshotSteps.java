package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Brings a snapshot one step nearer to what is wanted. Each step can be repeated, after a kill at any point too: what the
 * driver has done already, it does not do again. For any number of threads, one for each snapshot.
 */
@Singleton
final class SnapshotSteps {

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotSteps.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(200);
    private static final Duration LAST_RETRY = Duration.ofSeconds(30);
    private static final Duration UNTIL_MADE = Duration.ofSeconds(1);
    private static final Duration FIRST_DOUBT = Duration.ofSeconds(2);
    private static final Duration LAST_DOUBT = Duration.ofMinutes(5);

    private final SnapshotLedger ledger;
    private final VmDriver driver;
    private final SandboxSettings settings;

    /** Those that were lost, are there again, and were not ready when they were asked for the last time. */
    private final Map<String, Doubt> doubts = new ConcurrentHashMap<>();

    /**
     * That one was not ready.
     *
     * @param times how often
     * @param until when it is asked for again, in milliseconds since the epoch
     */
    private record Doubt(int times, long until) {
        private static final Doubt NONE = new Doubt(0, 0);
    }

    SnapshotSteps(SnapshotLedger ledger, VmDriver driver, SandboxSettings settings) {
        this.ledger = ledger;
        this.driver = driver;
        this.settings = settings;
    }

    /** Takes a step; true when another one can follow at once. */
    boolean step(SnapshotRow snapshot) throws InterruptedException {
        try {
            if (snapshot.isDeleted()) {
                return discard(snapshot);
            }
            return switch (snapshot.status()) {
                case PENDING -> capture(snapshot);
                case UPLOADING -> seal(snapshot);
                case READY, FAILED -> false;
            };
        } catch (VmException e) {
            failed(snapshot, e);
            return false;
        }
    }

    /** A VM that is written down and not made yet still needs it. */
    private boolean discard(SnapshotRow snapshot) throws VmException, InterruptedException {
        if (ledger.isNeeded(snapshot)) {
            ledger.retry(snapshot, UNTIL_MADE);
            return false;
        }
        driver.discard(snapshot.driverId());
        doubts.remove(snapshot.id());
        ledger.gone(snapshot);
        return false;
    }

    private boolean capture(SnapshotRow snapshot) throws VmException, InterruptedException {
        driver.capture(snapshot.driverId(), snapshot.vm());
        ledger.captured(snapshot);
        return true;
    }

    private boolean seal(SnapshotRow snapshot) throws VmException, InterruptedException {
        Layer layer = driver.seal(snapshot.driverId());
        ledger.ready(snapshot, layer.sizeBytes());
        LOG.debug("snapshot {} is {}", snapshot.id(), layer);
        return false;
    }

    /**
     * Takes one that was ready, and was lost, for ready again as soon as the driver says that it is: it may have a part of it
     * only. Does nothing for a while after it said no.
     */
    void find(SnapshotRow lost) throws InterruptedException {
        Doubt before = doubts.getOrDefault(lost.id(), Doubt.NONE);
        if (ledger.now() < before.until()) {
            return;
        }
        try {
            driver.seal(lost.driverId());
        } catch (VmException e) {
            if (before.times() == 0) {
                LOG.warn("snapshot {} is there again, but not ready; it is tried again: {}", lost.id(), e.getMessage());
            }
            Duration pause = Pauses.doubled(FIRST_DOUBT, before.times(), LAST_DOUBT);
            doubts.put(lost.id(), new Doubt(before.times() + 1, ledger.now() + pause.toMillis()));
            return;
        }
        doubts.remove(lost.id());
        ledger.found(lost);
    }

    /** What passes by itself is tried again, later and later; a deletion, for ever. */
    private void failed(SnapshotRow snapshot, VmException fault) {
        if (snapshot.isDeleted() || passes(snapshot, fault)) {
            boolean first = snapshot.failingSince() == null && snapshot.status() == SnapshotStatus.UPLOADING;
            LOG.atLevel(first ? Level.WARN : Level.DEBUG)
                    .log("snapshot {}: {}; it is tried again", snapshot.id(), fault.getMessage());
            ledger.retry(snapshot, Pauses.doubled(FIRST_RETRY, snapshot.attempts(), LAST_RETRY));
        } else {
            LOG.warn("snapshot {} failed: {}", snapshot.id(), fault.getMessage());
            ledger.failed(snapshot, fault.getMessage());
        }
    }

    /**
     * A copy that is taken is stored as soon as the driver answers and has room for it, however late that is: nobody can take
     * it again. One that is not taken has to be within the time of a boot, so that a guest that starts again has its chance.
     * Where there is no room for it, it is not tried again, because the guest would stand still each time.
     */
    private boolean passes(SnapshotRow snapshot, VmException fault) {
        if (snapshot.status() == SnapshotStatus.UPLOADING) {
            return fault.reason() == Reason.UNAVAILABLE || fault.reason() == Reason.EXHAUSTED;
        }
        return !isLate(snapshot)
                && (fault.reason() == Reason.UNAVAILABLE
                        || (fault.reason() == Reason.CONFLICT && ledger.isToRun(snapshot)));
    }

    private boolean isLate(SnapshotRow snapshot) {
        Long since = snapshot.failingSince();
        return since != null && ledger.now() - since > settings.bootTimeout().toMillis();
    }
}

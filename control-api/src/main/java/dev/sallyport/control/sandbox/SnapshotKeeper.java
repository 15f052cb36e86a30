package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes snapshots what is wanted of them, as the {@link Reconciler} does with VMs: one thread looks what is due and hands it
 * to others, at most one for each snapshot. The same thread compares what the driver holds with what is written down.
 */
@Singleton
final class SnapshotKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotKeeper.class);

    /** Whose a snapshot is that is not written down. */
    private static final String NOBODY = "";

    private static final Duration PARK = Duration.ofMillis(500);
    private static final Duration SWEEP = Duration.ofSeconds(2);
    private static final Duration END = Duration.ofSeconds(5);

    private final SnapshotLedger ledger;
    private final SnapshotSteps steps;
    private final VmDriver driver;

    /** Those that are worked on, by their identifiers. */
    private final Map<String, Place> busy = new ConcurrentHashMap<>();

    /** Of each kind of work, whose turn it is. */
    private final Map<Work, Turns> turns = new EnumMap<>(Work.class);

    /** Those that could not be discarded the last time, which has been told. */
    private final Set<SnapshotId> stubborn = ConcurrentHashMap.newKeySet();

    private final ExecutorService workers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("sallyport-control-snapshot-", 1).factory());
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-snapshots").unstarted(this::run);

    /** What the driver has had and nobody has wanted, and what it has not had and somebody has wanted, the last time. */
    private Set<SnapshotId> doubtful = Set.of();

    private volatile boolean woken;
    private volatile boolean closed;

    /**
     * What is done to a snapshot. Each has places of its own, so that no guest stands still later, and no disk gets full,
     * because others' copies are being stored.
     */
    private enum Work {
        /** Takes a minute at most. */
        CAPTURE(4, 2),
        /** Reads and writes as much as a disk holds, for up to half an hour. */
        SEAL(4, 1),
        /** Short, unless the driver hangs. */
        DISCARD(4, 2),
        /** Short, unless the driver has a copy that it has to store once more. */
        FIND(2, 1);

        private final int most;
        private final int mostOfOrganization;

        Work(int most, int mostOfOrganization) {
            this.most = most;
            this.mostOfOrganization = mostOfOrganization;
        }

        /** Of a snapshot to which something is to be done. */
        static Work of(SnapshotRow snapshot) {
            if (snapshot.isDeleted()) {
                return DISCARD;
            }
            return snapshot.status() == SnapshotStatus.PENDING ? CAPTURE : SEAL;
        }
    }

    /** A place that is taken. */
    private record Place(Work work, String organization) {}

    SnapshotKeeper(SnapshotLedger ledger, SnapshotSteps steps, VmDriver driver) {
        this.ledger = ledger;
        this.steps = steps;
        this.driver = driver;
        for (Work work : Work.values()) {
            turns.put(work, new Turns());
        }
    }

    void start() {
        ledger.onChange(this::wake);
        thread.start();
    }

    private void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        long swept = System.nanoTime() - SWEEP.toNanos();
        while (!closed) {
            woken = false;
            try {
                hand(ledger.due());
                if (System.nanoTime() - swept >= SWEEP.toNanos()) {
                    sweep();
                    swept = System.nanoTime();
                }
            } catch (VmException e) {
                LOG.debug("snapshots cannot be seen; it is tried again: {}", e.getMessage());
                swept = System.nanoTime();
            } catch (InterruptedException e) {
                return; // the control plane ends
            } catch (RuntimeException e) {
                if (closed) {
                    return;
                }
                LOG.warn("what is wanted of snapshots cannot be read; it is tried again", e);
            }
            if (!woken) {
                LockSupport.parkNanos(PARK.toNanos());
            }
        }
    }

    /** Those that are worked on are due still, and wait for nothing. */
    private void hand(List<SnapshotRow> due) {
        Map<Work, List<SnapshotRow>> waiting = new EnumMap<>(Work.class);
        for (SnapshotRow snapshot : due) {
            if (!busy.containsKey(snapshot.id())) {
                waiting.computeIfAbsent(Work.of(snapshot), any -> new ArrayList<>())
                        .add(snapshot);
            }
        }
        turns.forEach((work, turn) -> {
            for (SnapshotRow next : turn.next(waiting.getOrDefault(work, List.of()), work.mostOfOrganization)) {
                String organization = next.identity().organization();
                if (hand(next.id(), new Place(work, organization), () -> work(next.id(), work))) {
                    turn.had(organization);
                }
            }
        });
    }

    /** Returns whether there was a place; where there is none, whoever ends first wakes this thread. */
    private boolean hand(String id, Place place, Runnable task) {
        List<Place> same = busy.values().stream()
                .filter(taken -> taken.work() == place.work())
                .toList();
        long own = same.stream().filter(place::equals).count();
        boolean free = same.size() < place.work().most && own < place.work().mostOfOrganization;
        if (!free || busy.putIfAbsent(id, place) != null) {
            return false;
        }
        workers.execute(() -> {
            try {
                task.run();
            } finally {
                busy.remove(id);
                wake();
            }
        });
        return true;
    }

    private void work(String id, Work work) {
        try {
            boolean again = true;
            while (again && !closed) {
                SnapshotRow snapshot = ledger.find(id).orElse(null);
                again = snapshot != null && Work.of(snapshot) == work && steps.step(snapshot);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the control plane ends; it is still due at its next start
        } catch (RuntimeException e) {
            if (closed) {
                LOG.debug("snapshot {}: cut off by the end of the control plane", id, e);
            } else {
                LOG.error("snapshot {} cannot be worked on; it is tried again", id, e);
                putOff(id);
            }
        }
    }

    private void putOff(String id) {
        try {
            ledger.find(id).ifPresent(snapshot -> ledger.retry(snapshot, SWEEP));
        } catch (RuntimeException e) {
            LOG.warn("snapshot {} cannot be put off; it is tried again", id, e);
        }
    }

    /**
     * What has been seen twice is no work of this moment. What was ready once is never discarded unless somebody deletes it:
     * a driver whose disk was not mounted has it again when it is. That there is something of this name does not make it
     * ready: the driver has to say so.
     */
    private void sweep() throws VmException, InterruptedException {
        Set<SnapshotId> seen = driver.snapshots();
        Map<SnapshotId, SnapshotRow> rows = new HashMap<>();
        ledger.present().forEach(row -> rows.put(row.driverId(), row));
        Set<SnapshotId> doubts = new HashSet<>();
        for (SnapshotId id : seen) {
            SnapshotRow row = rows.get(id);
            if (row != null && row.isLost()) {
                Place place = new Place(Work.FIND, row.identity().organization());
                hand(id.value(), place, () -> find(row));
            } else if (row == null || (row.status() == SnapshotStatus.FAILED && !row.isDeleted())) {
                doubts.add(id);
                if (doubtful.contains(id)) {
                    String organization = row == null ? NOBODY : row.identity().organization();
                    hand(id.value(), new Place(Work.DISCARD, organization), () -> discard(id));
                }
            }
        }
        for (SnapshotRow row : List.copyOf(rows.values())) {
            if (row.status() == SnapshotStatus.READY && !row.isDeleted() && !seen.contains(row.driverId())) {
                doubts.add(row.driverId());
                if (doubtful.contains(row.driverId())) {
                    ledger.failed(row, "nothing is left of it: somebody else has removed it");
                }
            }
        }
        doubtful = doubts;
    }

    private void find(SnapshotRow lost) {
        try {
            steps.find(lost);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the control plane ends
        } catch (RuntimeException e) {
            LOG.warn("snapshot {}, which is there again, cannot be looked at; it is tried again", lost.id(), e);
        }
    }

    /** It is tried again as long as it is there. */
    private void discard(SnapshotId id) {
        try {
            driver.discard(id);
            stubborn.remove(id);
            LOG.info("snapshot {} was at the driver and wanted by nobody; it is discarded", id);
        } catch (VmException | RuntimeException e) {
            if (stubborn.add(id)) {
                LOG.warn("snapshot {} cannot be discarded; it is tried again: {}", id, e.getMessage());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the control plane ends
        }
    }

    /** Ends what waits, and waits for a moment for what cannot be cut off. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        LockSupport.unpark(thread);
        workers.shutdownNow();
        try {
            thread.join(END.toMillis());
            if (!workers.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the driver does not answer; snapshots are looked at after the next start");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

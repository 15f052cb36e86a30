package dev.sallyport.control.sandbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the owners of VMs that run, and the operator, that the disk with what guests write is full: a guest sees errors of a
 * disk that is not full itself. For one thread.
 */
final class FullDisk {

    private static final Logger LOG = LoggerFactory.getLogger(FullDisk.class);

    /** So long after its event a VM has no other one. */
    private static final Duration PAUSE = Duration.ofHours(1);

    private final VmLedger ledger;

    /** When VMs were told, in milliseconds since the epoch. */
    private final Map<String, Long> told = new HashMap<>();

    private boolean full;

    FullDisk(VmLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * After each look at the driver.
     *
     * @param now whether the disk is full
     * @param running the VMs whose guests run
     */
    void look(boolean now, List<VmRow> running) {
        if (now && !full) {
            LOG.warn("the disk with the sandboxes is full; what guests write fails until there is room");
        }
        full = now;
        long time = ledger.now();
        told.values().removeIf(at -> time - at >= PAUSE.toMillis());
        if (now) {
            for (VmRow vm : running) {
                if (told.putIfAbsent(vm.id(), time) == null) {
                    ledger.tell(
                            vm,
                            "the disk of the machine is full: what the guest writes fails until there is room,"
                                    + " and may fail until it is stopped and started");
                }
            }
        }
    }
}

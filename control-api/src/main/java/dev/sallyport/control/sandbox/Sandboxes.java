package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.NoDriver;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Whether there are sandboxes. What the driver said last is remembered, so that no request waits for it. Thread-safe. */
@Singleton
public final class Sandboxes {

    private final VmDriver driver;
    private final Gate gate;
    private volatile @Nullable String problem = "whether sandboxes can run is not known yet";

    private volatile boolean diskFull;

    public Sandboxes(VmDriver driver, Gate gate) {
        this.driver = driver;
        this.gate = gate;
    }

    /** Whether the operator wants none. */
    @WithoutCaller("it shows the configuration")
    public boolean areOff() {
        return driver instanceof NoDriver;
    }

    /** Whether guests are judged by a gate in this process; those that are made up need none. */
    boolean isGated() {
        return gate.isPresent();
    }

    /** Asks the driver. Blocks. */
    @WithoutCaller("it shows nothing of anybody")
    public @Nullable String check() throws InterruptedException {
        String found = gate.problem();
        if (found == null || areOff()) {
            found = asked();
        }
        problem = found;
        return found;
    }

    private @Nullable String asked() throws InterruptedException {
        try {
            return switch (driver.availability()) {
                case Availability.Available available -> {
                    diskFull = available.isDiskFull();
                    yield null;
                }
                case Availability.Unavailable unavailable -> String.join("; ", unavailable.problems());
            };
        } catch (VmException e) {
            return e.getMessage();
        }
    }

    /** Whether the disks of guests have found no room to grow in when the driver was asked last. */
    boolean isDiskFull() {
        return diskFull;
    }

    /** Refuses with 503 where the operator wants none. */
    void refuseWithoutDriver() {
        if (areOff()) {
            refuseUnlessAvailable();
        }
    }

    /** Refuses with 503, and the reason, where no guest can be started at this moment. */
    void refuseUnlessAvailable() {
        String reason = problem;
        if (reason != null) {
            throw unavailable(reason);
        }
    }

    static Refusal unavailable(String reason) {
        return Refusal.unavailable("sandboxes_unavailable", reason);
    }
}

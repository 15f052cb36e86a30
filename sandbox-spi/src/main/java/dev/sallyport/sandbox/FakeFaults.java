package dev.sallyport.sandbox;

import dev.sallyport.sandbox.FakeDriver.Step;
import dev.sallyport.sandbox.VmException.Reason;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link FakeDriver} is told to fail with. Safe for use by many threads. */
final class FakeFaults {

    private final Map<Step, VmException> next = new EnumMap<>(Step.class);
    private final Map<Step, VmException> lasting = new EnumMap<>(Step.class);
    private volatile @Nullable String missing;
    private volatile boolean full;

    synchronized void failNext(Step step, VmException failure) {
        next.put(step, failure);
    }

    synchronized void failAlways(Step step, @Nullable VmException failure) {
        if (failure == null) {
            lasting.remove(step);
        } else {
            lasting.put(step, failure);
        }
    }

    void miss(@Nullable String reason) {
        missing = reason;
    }

    void fill(boolean full) {
        this.full = full;
    }

    Availability availability() {
        String reason = missing;
        if (reason != null) {
            return new Availability.Unavailable(List.of(reason));
        }
        String found = "fake: guests are made up";
        return new Availability.Available(full ? List.of(found, Availability.Available.DISK_FULL) : List.of(found));
    }

    void failIfMissing() throws VmException {
        String reason = missing;
        if (reason != null) {
            throw new VmException(Reason.UNAVAILABLE, reason);
        }
    }

    synchronized void failIfTold(Step step) throws VmException {
        failIfMissing();
        VmException failure = next.remove(step);
        if (failure == null) {
            failure = lasting.get(step);
        }
        if (failure != null) {
            throw failure;
        }
    }

    interface Change {
        void make() throws VmException;
    }

    /** A change that a test makes; that the folder cannot be written to is no part of it. */
    static void told(Change change) {
        try {
            change.make();
        } catch (VmException e) {
            throw new IllegalStateException(e);
        }
    }
}

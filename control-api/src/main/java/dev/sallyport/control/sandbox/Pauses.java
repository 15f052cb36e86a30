package dev.sallyport.control.sandbox;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * For how long VMs are left alone by the reconciler of this process. Nothing of it is written down: whoever wants something
 * else of a VM meanwhile ends its pause. Thread-safe.
 */
final class Pauses {

    private static final int MOST_DOUBLINGS = 20;

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();

    /** @param until by {@link System#nanoTime} */
    private record Pause(long version, long until) {}

    /** Lets a VM rest, as long as nobody wants something else of it. */
    void begin(VmRow vm, Duration length) {
        pauses.put(vm.id(), new Pause(vm.version(), System.nanoTime() + length.toNanos()));
    }

    /** Ends the pause of a VM before its time. */
    void end(String vm) {
        pauses.remove(vm);
    }

    /** How many nanoseconds are left; 0 or less when it is to be worked on. */
    long left(VmJob job) {
        Pause pause = pauses.get(job.vm());
        return pause == null || pause.version() != job.version() ? 0 : pause.until() - System.nanoTime();
    }

    /** The pause after so many others, each twice as long as the one before. */
    static Duration doubled(Duration first, int before, Duration longest) {
        Duration doubled = first.multipliedBy(1L << Math.min(before, MOST_DOUBLINGS));
        return doubled.compareTo(longest) < 0 ? doubled : longest;
    }
}

package dev.sallyport.server;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Makes the serial collector collect the old generation when it has doubled, in a moment in which nothing else is done: the
 * pause holds everybody up. By itself that collector does so only when the heap cannot grow any more, and the heap may grow to
 * a quarter of the machine's memory: until then the garbage of ended connections would be kept. So it is not put off for ever.
 * Other collectors need no help. {@code -XX:+DisableExplicitGC} disables it.
 */
final class OldGeneration {

    /** Growth that is not worth a pause. */
    static final long LEAST_BYTES = 48L * 1024 * 1024;

    /** Who allocates no more between two looks has next to nothing to do. */
    static final long QUIET_BYTES = 1024 * 1024;

    /** After so many looks, five minutes, it is collected although there is something to do... */
    static final int LOOKS = 60;

    /** ...and at once when it has grown to so many times the limit... */
    static final int TIMES = 2;

    /** ...and has so many bytes. */
    static final long MOST_BYTES = 192L * 1024 * 1024;

    private static final String SERIAL_POOL = "Tenured Gen";
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final LongSupplier used;
    private final LongSupplier allocated;
    private final Runnable collector;
    private long limit = LEAST_BYTES;
    private long allocatedBefore;
    private int putOff;

    /**
     * @param used the bytes in the old generation, garbage included
     * @param allocated the bytes that all threads have allocated until now
     * @param collector collects the old generation; blocks
     */
    OldGeneration(LongSupplier used, LongSupplier allocated, Runnable collector) {
        this.used = used;
        this.allocated = allocated;
        this.collector = collector;
    }

    /** Starts watching on its own thread for the life of the JVM; does nothing with other collectors. */
    static void watch() {
        Thread.ofPlatform().daemon().name("sallyport-heap").start(() -> {
            try {
                Thread.sleep(INTERVAL); // Leave the processor to the start of the proxy.
                Optional<MemoryPoolMXBean> pool = ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(candidate -> candidate.getName().equals(SERIAL_POOL))
                        .findFirst();
                if (pool.isPresent()) {
                    MemoryPoolMXBean tenured = pool.get();
                    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
                    OldGeneration generation = new OldGeneration(
                            () -> tenured.getUsage().getUsed(), threads::getTotalThreadAllocatedBytes, System::gc);
                    while (true) {
                        generation.check();
                        Thread.sleep(INTERVAL);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // Nobody interrupts this thread; if somebody does, it ends.
            }
        });
    }

    /** Looks once, and collects when there may be as much garbage as live data. */
    void check() {
        long now = used.getAsLong();
        long allocatedNow = allocated.getAsLong();
        boolean quiet = allocatedNow - allocatedBefore <= QUIET_BYTES;
        allocatedBefore = allocatedNow;
        if (now <= limit) {
            putOff = 0;
        } else if (quiet || putOff == LOOKS || now > Math.max(MOST_BYTES, TIMES * limit)) {
            collector.run();
            limit = Math.max(LEAST_BYTES, 2 * used.getAsLong());
            putOff = 0;
        } else {
            putOff++;
        }
    }
}

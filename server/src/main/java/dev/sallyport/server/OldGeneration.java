package dev.sallyport.server;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Makes the serial collector collect the old generation when it has doubled. By itself that collector does so only when
 * the heap cannot grow any more, and the heap may grow to a quarter of the machine's memory: until then the garbage of
 * ended connections would be kept. Other collectors need no help. {@code -XX:+DisableExplicitGC} disables it.
 */
final class OldGeneration {

    /** Growth that is not worth a pause. */
    static final long LEAST_BYTES = 48L * 1024 * 1024;

    private static final String SERIAL_POOL = "Tenured Gen";
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final LongSupplier used;
    private final Runnable collector;
    private long limit = LEAST_BYTES;

    /**
     * @param used the bytes in the old generation, garbage included
     * @param collector collects the old generation; blocks
     */
    OldGeneration(LongSupplier used, Runnable collector) {
        this.used = used;
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
                    OldGeneration generation =
                            new OldGeneration(() -> tenured.getUsage().getUsed(), System::gc);
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

    /** Checks once, and collects when there may be as much garbage as live data. */
    void check() {
        if (used.getAsLong() > limit) {
            collector.run();
            limit = Math.max(LEAST_BYTES, 2 * used.getAsLong());
        }
    }
}

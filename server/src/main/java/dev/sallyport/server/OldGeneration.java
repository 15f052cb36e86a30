package dev.sallyport.server;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Has the serial collector look at the old generation when that has doubled. By itself it does so only when the heap may
 * not grow any more, and it may grow to a quarter of the machine's memory: what ended connections leave behind would be
 * kept until then. Other collectors see to it themselves. {@code -XX:+DisableExplicitGC} switches it off.
 */
final class OldGeneration {

    /** What is not worth a pause. */
    static final long LEAST_BYTES = 48L * 1024 * 1024;

    private static final String SERIAL_POOL = "Tenured Gen";
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final LongSupplier used;
    private final Runnable collector;
    private long limit = LEAST_BYTES;

    /**
     * @param used bytes in the old generation, garbage included
     * @param collector collects it; blocks
     */
    OldGeneration(LongSupplier used, Runnable collector) {
        this.used = used;
        this.collector = collector;
    }

    /** Begins to watch on a thread of its own, for as long as the JVM lives; does nothing with other collectors. */
    static void watch() {
        Thread.ofPlatform().daemon().name("sallyport-heap").start(() -> {
            try {
                Thread.sleep(INTERVAL); // the start has other things to do
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
                Thread.currentThread().interrupt(); // nobody does; the thread ends
            }
        });
    }

    /** Looks once, and has the garbage collected when there may be as much of it as of what is in use. */
    void check() {
        if (used.getAsLong() > limit) {
            collector.run();
            limit = Math.max(LEAST_BYTES, 2 * used.getAsLong());
        }
    }
}

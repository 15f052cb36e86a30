package dev.sallyport.server;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Makes the serial collector collect the old generation when it has doubled, and then grows no more: while much comes and
 * goes, the pause would come on top, and find most of it alive; it is not put off for ever. By itself that collector does so
 * only when the heap cannot grow any more, and the heap may grow to a quarter of the machine's memory: until then the garbage
 * of ended connections would be kept. Other collectors need no help. {@code -XX:+DisableExplicitGC} disables it.
 */
final class OldGeneration {

    /** Growth that is not worth a pause. */
    static final long LEAST_BYTES = 48L * 1024 * 1024;

    /** What grows by less between two looks stands still. */
    static final long STILL_BYTES = 4L * 1024 * 1024;

    /** What stood still at so many looks is at rest. */
    static final int LOOKS = 2;

    /** What has grown to so many times the limit is collected although it grows... */
    static final int TIMES = 2;

    /** ...but not before it has so many bytes. */
    static final long MOST_BYTES = 192L * 1024 * 1024;

    private static final String SERIAL_POOL = "Tenured Gen";
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final LongSupplier used;
    private final Runnable collector;
    private long limit = LEAST_BYTES;
    private long last;
    private int still;

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

    /** Looks once, and collects when there may be as much garbage as live data. */
    void check() {
        long now = used.getAsLong();
        still = now - last > STILL_BYTES ? 0 : still + 1;
        last = now;
        if (now > limit && (still >= LOOKS || now > Math.max(MOST_BYTES, TIMES * limit))) {
            collector.run();
            last = used.getAsLong();
            limit = Math.max(LEAST_BYTES, 2 * last);
        }
    }
}

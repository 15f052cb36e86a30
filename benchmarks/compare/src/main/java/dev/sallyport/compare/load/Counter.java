package dev.sallyport.compare.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Counts while a window is open. Confined to the loop of the load. */
final class Counter {

    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(2);

    private Histogram latencies = histogram();
    private long began;
    private boolean open;
    private long operations;
    private long bytes;
    private long errors;
    private long reconnects;
    private @Nullable Throwable lastError;

    static Histogram histogram() {
        return new Histogram(1, LONGEST_MICROS, 3);
    }

    void begin() {
        latencies = histogram();
        operations = 0;
        bytes = 0;
        errors = 0;
        reconnects = 0;
        open = true;
        began = System.nanoTime();
    }

    Tally end() {
        open = false;
        return new Tally((System.nanoTime() - began) / 1e9, operations, bytes, errors, reconnects, latencies);
    }

    /** @param since when the operation began, or should have begun, in nanoseconds */
    void done(long since) {
        if (open) {
            operations++;
            long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since);
            latencies.recordValue(Math.clamp(micros, 1, LONGEST_MICROS));
        }
    }

    void bytes(long more) {
        if (open) {
            bytes += more;
        }
    }

    void reconnect() {
        if (open) {
            reconnects++;
        }
    }

    void error(Throwable cause) {
        lastError = cause;
        if (open) {
            errors++;
        }
    }

    /** Whether nothing has happened since it began. */
    boolean isEmpty() {
        return operations == 0 && bytes == 0 && errors == 0;
    }

    @Nullable Throwable lastError() {
        return lastError;
    }
}

package dev.sallyport.core.secret;

import dev.sallyport.core.config.PluginFault;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretValue;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** One read on the calling thread, which is interrupted when it exceeds its limit. */
final class SourceRead {

    private final Thread reader = Thread.currentThread();
    private boolean done;
    private boolean late;

    private SourceRead() {}

    /** Reads and extracts the field. A source's unchecked exceptions become failures without their message, which may hold the value. */
    static SecretValue read(SecretSource source, String jsonKey, ScheduledExecutorService timers, Duration limit)
            throws SecretException, InterruptedException {
        SourceRead read = new SourceRead();
        ScheduledFuture<?> watchdog = timers.schedule(read::interrupt, limit.toMillis(), TimeUnit.MILLISECONDS);
        SecretValue value;
        try {
            value = source.read();
        } catch (InterruptedException e) {
            if (read.finish()) {
                throw new SecretException("no answer within " + limit.toSeconds() + " s");
            }
            throw e;
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            if (read.finish()) {
                throw new SecretException("no answer within " + limit.toSeconds() + " s");
            }
            throw new SecretException("the source failed: " + PluginFault.withoutMessage(source, e));
        } finally {
            watchdog.cancel(false);
            read.finish();
        }
        return jsonKey.isEmpty() ? value : JsonField.extract(value, jsonKey);
    }

    private synchronized void interrupt() {
        if (!done) {
            late = true;
            reader.interrupt();
        }
    }

    /** Ends the time limit; returns whether it was exceeded, and clears the interrupt that it caused. */
    private synchronized boolean finish() {
        if (!done) {
            done = true;
            if (late) {
                Thread.interrupted();
            }
        }
        return late;
    }
}

package dev.sallyport.sources.aws;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A time limit for everything that the SDK does. The SDK's own limits do not cover the search for a region and
 * credentials, which blocks in sockets; interrupting a virtual thread ends its socket operations.
 */
final class TimedRead {

    private TimedRead() {}

    static SecretValue within(Duration limit, Callable<SecretValue> read) throws SecretException, InterruptedException {
        FutureTask<SecretValue> task = new FutureTask<>(read);
        Thread.ofVirtual().name("aws-secret").start(task);
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new SecretException("no answer within " + limit.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw failure(e);
        } finally {
            task.cancel(true);
        }
    }

    private static SecretException failure(ExecutionException e) {
        return switch (e.getCause()) {
            case SecretException known -> known;
            case Error error -> throw error;
            case RuntimeException fault -> throw fault;
            case null, default -> throw new IllegalStateException(e);
        };
    }
}

package dev.sallyport.compare.load;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Work for a proxy, on one loop: connections that are opened first, then windows in which is counted what gets done. The
 * methods with a modifier are called by the thread that measures, the others on the loop.
 */
public abstract class Load implements AutoCloseable {

    private static final long OPENING_SECONDS = 90;
    private static final long FIRST_SECONDS = 60;

    /** The loop that everything happens on. */
    protected final EventLoop loop;

    final Counter counter = new Counter();
    boolean running;
    boolean closed;

    Load(Dialler dialler) {
        loop = dialler.loop().next();
    }

    /** Opens what must be open before the first window. */
    abstract void connect();

    /** How many connections must be open. */
    abstract int wanted();

    abstract int connected();

    /** Begins, or goes on. */
    abstract void start();

    /** Closes all connections. */
    abstract void disconnect();

    /**
     * Opens the connections.
     *
     * @throws IOException if they are not open in time; says how many are, and the last reason
     */
    public final void open() throws IOException, InterruptedException {
        loop.execute(this::connect);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(OPENING_SECONDS);
        while (ask(this::connected) < wanted()) {
            if (System.nanoTime() > deadline || ask(counter::lastError) != null) {
                throw new IOException("open: " + ask(this::connected) + " of " + wanted() + " connections: "
                        + ask(counter::lastError));
            }
            Thread.sleep(2);
        }
    }

    /** Works for one window, then pauses. */
    public final Tally run(Duration window) throws InterruptedException {
        return laps(window, 1).getFirst();
    }

    /**
     * Works for one window, then pauses. On a machine that has no time for this one a short window would see nothing done:
     * it lasts until something is, or has failed, or a minute has passed. Rates are by the time that it took.
     */
    public final Tally measure(Duration window) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FIRST_SECONDS);
        begin();
        do {
            Thread.sleep(window);
        } while (ask(counter::isEmpty) && System.nanoTime() < deadline);
        return ask(() -> {
            running = false;
            return counter.end();
        });
    }

    private void begin() {
        loop.execute(() -> {
            counter.begin();
            running = true;
            start();
        });
    }

    /** Works for several windows without a pause between them. */
    public final List<Tally> laps(Duration window, int laps) throws InterruptedException {
        List<Tally> tallies = new ArrayList<>();
        begin();
        for (int lap = 1; lap <= laps; lap++) {
            Thread.sleep(window);
            boolean last = lap == laps;
            tallies.add(ask(() -> {
                Tally tally = counter.end();
                if (last) {
                    running = false;
                } else {
                    counter.begin();
                }
                return tally;
            }));
        }
        return tallies;
    }

    /** The last reason for which an operation failed. */
    public final @Nullable Throwable lastError() throws InterruptedException {
        return ask(counter::lastError);
    }

    @Override
    public final void close() throws InterruptedException {
        ask(() -> {
            closed = true;
            running = false;
            disconnect();
            return true;
        });
    }

    private <T extends @Nullable Object> T ask(java.util.concurrent.Callable<T> question) throws InterruptedException {
        try {
            return loop.submit(question).get(OPENING_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("the load's own loop does not answer", e);
        }
    }
}

package dev.sallyport.sandboxd.net;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after the rules once a second, on a thread of its own. */
final class RulesWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RulesWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final Look look;
    private @Nullable Thread thread;

    /** What is done each time. */
    interface Look {
        void run() throws InterruptedException;
    }

    RulesWatch(Look look) {
        this.look = look;
    }

    /** Begins; does nothing where it has begun. */
    synchronized void start() {
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("sandboxd-rules").start(this::watch);
        }
    }

    private void watch() {
        try {
            while (!Thread.interrupted()) {
                Thread.sleep(PERIOD);
                lookOnce();
            }
        } catch (InterruptedException e) {
            LOG.debug("the watch over the rules ends");
        }
    }

    /** The next look may succeed, whatever happened to this one: a thread that ends would leave the guests unwatched. */
    private void lookOnce() throws InterruptedException {
        try {
            look.run();
        } catch (RuntimeException | Error e) {
            LOG.error("the rules of the guests could not be looked at", e);
        }
    }

    /** Ends, and returns when nothing is being done any more. */
    @Override
    public void close() throws InterruptedException {
        Thread ending = take();
        if (ending != null) {
            ending.interrupt();
            ending.join();
        }
    }

    private synchronized @Nullable Thread take() {
        Thread taken = thread;
        thread = null;
        return taken;
    }
}

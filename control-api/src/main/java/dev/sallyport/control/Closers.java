package dev.sallyport.control;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is closed at the end, the last first; one that fails keeps none from being closed. For one thread. */
final class Closers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Closers.class);

    private final Deque<Runnable> all = new ArrayDeque<>();

    void add(Runnable close) {
        all.push(close);
    }

    @Override
    public void close() {
        while (!all.isEmpty()) {
            try {
                all.pop().run();
            } catch (RuntimeException e) {
                LOG.warn("a part of the control plane does not close", e);
            }
        }
    }
}

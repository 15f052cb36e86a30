package dev.sallyport.core.upstream;

import org.jspecify.annotations.Nullable;

/** One exchange that waits for a connection; running it cancels the wait. Confined to its loop. */
final class PendingAcquire implements Runnable {

    private final Route route;
    private final UpstreamListener listener;
    private @Nullable ConnectionAttempt at;

    PendingAcquire(Route route, UpstreamListener listener) {
        this.route = route;
        this.listener = listener;
    }

    Route route() {
        return route;
    }

    UpstreamListener listener() {
        return listener;
    }

    /** The exchange waits for this attempt from now on. */
    void joined(ConnectionAttempt attempt) {
        at = attempt;
    }

    /** The exchange has got a connection, or waits elsewhere. */
    void left() {
        at = null;
    }

    @Override
    public void run() {
        ConnectionAttempt waitedFor = at;
        if (waitedFor != null) {
            at = null;
            waitedFor.leave(this);
        }
    }
}

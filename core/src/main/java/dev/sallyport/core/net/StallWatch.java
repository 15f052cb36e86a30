package dev.sallyport.core.net;

import io.netty.channel.EventLoop;
import java.time.Duration;

/**
 * Notices a client that has stopped in the middle of an exchange: it owes a body and sends nothing or next to nothing, or it leaves unread
 * what is written for it. While nothing is owed no time runs, so that a quiet origin costs a client nothing. On one event
 * loop.
 */
final class StallWatch {

    /** The client, as its connection sees it. */
    interface Client {

        /** Whether it is the client's turn to send or to read. */
        boolean owes();

        /** Changes whenever the client has sent or taken something. */
        long progress();

        /** Bytes of bodies that the client has sent so far, where it is these that are owed; else -1. */
        long sent();

        /** It was the client's turn for the whole time, and nothing has come of it. */
        void stalled();
    }

    private final Client client;
    private final HttpLimits limits;
    private final Deadline deadline;
    private boolean running;
    private long progress;
    private long sent;

    StallWatch(EventLoop loop, HttpLimits limits, Client client) {
        this.client = client;
        this.limits = limits;
        this.deadline = new Deadline(loop, this::ring);
    }

    /** Something may have changed about whose turn it is. */
    void check() {
        if (!client.owes()) {
            running = false;
            deadline.clear();
        } else if (!running) {
            start();
        }
    }

    /** Gives the timer back. */
    void cancel() {
        running = false;
        deadline.cancel();
    }

    private void start() {
        running = true;
        progress = client.progress();
        sent = client.sent();
        deadline.in(sent < 0 ? limits.idleTimeout() : bodyWindow());
    }

    private Duration bodyWindow() {
        Duration own = limits.patience().bodyWindow();
        return own.compareTo(limits.idleTimeout()) < 0 ? own : limits.idleTimeout();
    }

    private void ring() {
        running = false;
        if (!client.owes()) {
            return;
        }
        if (client.progress() == progress || isSlow()) {
            client.stalled();
        } else {
            start();
        }
    }

    /** Whether it sends next to nothing, in proportion where the window is shorter than the one that counts. */
    private boolean isSlow() {
        long now = client.sent();
        if (sent < 0 || now < 0) {
            return false;
        }
        double part =
                (double) bodyWindow().toNanos() / limits.patience().bodyWindow().toNanos();
        return now - sent < (long) (limits.patience().bodyBytes() * part);
    }
}

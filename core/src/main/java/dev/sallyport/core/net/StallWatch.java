package dev.sallyport.core.net;

import io.netty.channel.EventLoop;
import java.time.Duration;

/**
 * Notices a client that has stopped in the middle of an exchange: it owes a body and sends nothing, or it leaves unread
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

        /** It was the client's turn for the whole time, and nothing has come of it. */
        void stalled();
    }

    private final Client client;
    private final Duration limit;
    private final Deadline deadline;
    private boolean running;
    private long progress;

    StallWatch(EventLoop loop, Duration limit, Client client) {
        this.client = client;
        this.limit = limit;
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
        deadline.in(limit);
    }

    private void ring() {
        running = false;
        if (client.owes()) {
            if (client.progress() == progress) {
                client.stalled();
            } else {
                start();
            }
        }
    }
}

package dev.sallyport.core.net.connection;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.loop.Deadline;
import io.netty.channel.EventLoop;
import java.time.Duration;

/**
 * Notices a client that has stopped in the middle of an exchange: it owes a body and sends nothing or next to nothing,
 * leaves unread what is written for it, or has ended its half and may be gone. The timer runs only while the client
 * must act, so a slow origin never counts against it. On one event loop.
 */
public final class StallDetector {

    /** The refusal for a body that the client stopped sending. */
    public static final Refusal STALLED = Refusal.timeout("the body of the request did not arrive in time");

    /** What the exchange is waiting for. */
    public enum Turn {
        /** Not for the client. */
        NOT_ITS,
        /** For the client to read. */
        READ,
        /** For the client to send more of a body, before any response. */
        SEND,
        /** For the client to send more while the response is under way: both may take their time. */
        SEND_ON,
        /** For a write to a client that has ended its half: only a write shows whether the client is still there. */
        HALF_CLOSED
    }

    /** The client, as its connection sees it. */
    public interface Client {

        /** What the exchange is waiting for now. */
        Turn turn();

        /** A counter that grows with the bytes moved in this turn. */
        long progress(Turn turn);

        /** The exchange waited for the client the whole time, and too few bytes moved. */
        void stalled(Turn turn);
    }

    private final Client client;
    private final ProxyLimits limits;
    private final Deadline deadline;
    private Turn turn = Turn.NOT_ITS;
    private long progress;

    public StallDetector(EventLoop loop, ProxyLimits limits, Client client) {
        this.client = client;
        this.limits = limits;
        this.deadline = new Deadline(loop, this::ring);
    }

    /** What the exchange is waiting for may have changed. */
    public void check() {
        Turn now = client.turn();
        if (now != turn) {
            start(now);
        }
    }

    /** Releases the timer. */
    public void cancel() {
        turn = Turn.NOT_ITS;
        deadline.cancel();
    }

    private void start(Turn now) {
        turn = now;
        if (now == Turn.NOT_ITS) {
            deadline.clear();
        } else {
            progress = client.progress(now);
            deadline.in(window(now));
        }
    }

    private void ring() {
        Turn before = turn;
        Turn now = client.turn();
        if (now == before && Math.abs(client.progress(now) - progress) < least(now)) {
            turn = Turn.NOT_ITS;
            client.stalled(now);
        } else {
            start(now);
        }
    }

    private Duration window(Turn of) {
        Duration idle = limits.clientIdleTimeout();
        Duration own = switch (of) {
            case SEND -> limits.bodyIdleTimeout();
            case HALF_CLOSED -> limits.halfClosedTimeout();
            case NOT_ITS, READ, SEND_ON -> idle;
        };
        return own.compareTo(idle) < 0 ? own : idle;
    }

    /** Bytes that must move in one window. */
    private long least(Turn of) {
        if (of != Turn.SEND) {
            return 1;
        }
        return Math.max(1, (long) (limits.minBodyRateBytes() * (window(of).toNanos() / 1e9)));
    }
}

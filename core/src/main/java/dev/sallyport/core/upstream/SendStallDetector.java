package dev.sallyport.core.upstream;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Watches whether an origin takes what it is sent of one request body. The timer rests while the transport is empty and
 * writable: the client must act then. Confined to its loop.
 */
final class SendStallDetector implements ChannelFutureListener {

    private final Duration limit;
    private final LongSupplier level;
    private final BooleanSupplier full;
    private final Consumer<Duration> timer;
    private final Runnable stalled;
    private boolean watching;
    private int outstanding;
    private long taken;
    private long seenTaken;
    private long seenLevel;

    /**
     * @param limit how long nothing may move
     * @param level of what the transport holds: shows that a part of one write was taken
     * @param full whether the transport takes nothing, though it may hold nothing: the origin gives no credit
     * @param timer has {@link #check} called after this time
     * @param stalled nothing has moved for the limit
     */
    SendStallDetector(
            Duration limit, LongSupplier level, BooleanSupplier full, Consumer<Duration> timer, Runnable stalled) {
        this.limit = limit;
        this.level = level;
        this.full = full;
        this.timer = timer;
        this.stalled = stalled;
    }

    /** Some of the body has been handed to the transport. */
    void sent(ChannelFuture write) {
        outstanding++;
        write.addListener(this);
        awaited();
    }

    /** Somebody would like to send some. */
    void awaited() {
        if (!watching) {
            watching = true;
            moved();
            timer.accept(limit);
        }
    }

    @Override
    public void operationComplete(ChannelFuture write) {
        outstanding--;
        taken++;
    }

    /** The time is over. */
    void check() {
        watching = outstanding > 0 || full.getAsBoolean();
        if (!watching) {
            return; // the next write begins to watch again
        }
        if (moved()) {
            timer.accept(limit);
        } else {
            watching = false;
            stalled.run();
        }
    }

    /** Whether anything has moved since the last call. */
    private boolean moved() {
        long now = level.getAsLong();
        boolean moved = taken != seenTaken || now != seenLevel;
        seenTaken = taken;
        seenLevel = now;
        return moved;
    }
}

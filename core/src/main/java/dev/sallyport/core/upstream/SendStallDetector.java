package dev.sallyport.core.upstream;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Detects an origin that does not take the request body that it is sent. The timer rests while the transport is empty
 * and writable, because it is then the client's turn. Confined to its loop.
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
     * @param limit how long there may be no progress
     * @param level a figure that changes when the transport takes a part of one write, such as the bytes that it holds
     * @param full whether the transport takes nothing although it may hold nothing: the origin gives no credit
     * @param timer schedules {@link #check} after this time
     * @param stalled called when there was no progress for the limit
     */
    SendStallDetector(
            Duration limit, LongSupplier level, BooleanSupplier full, Consumer<Duration> timer, Runnable stalled) {
        this.limit = limit;
        this.level = level;
        this.full = full;
        this.timer = timer;
        this.stalled = stalled;
    }

    /** A part of the body has been passed to the transport. */
    void sent(ChannelFuture write) {
        outstanding++;
        write.addListener(this);
        awaited();
    }

    /** The caller waits to send more. */
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

    /** Checks for progress; to be called when the limit has passed since the last call. */
    void check() {
        watching = outstanding > 0 || full.getAsBoolean();
        if (!watching) {
            return; // the next write starts the timer again
        }
        if (moved()) {
            timer.accept(limit);
        } else {
            watching = false;
            stalled.run();
        }
    }

    /** Whether there was progress since the last call. */
    private boolean moved() {
        long now = level.getAsLong();
        boolean moved = taken != seenTaken || now != seenLevel;
        seenTaken = taken;
        seenLevel = now;
        return moved;
    }
}

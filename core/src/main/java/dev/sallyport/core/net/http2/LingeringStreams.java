package dev.sallyport.core.net.http2;

import dev.sallyport.core.loop.Deadline;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Streams of one HTTP/2 connection whose answer is complete while the client still sends its request (RFC 9113, 8.1).
 * An immediate reset would make many clients discard the answer and report the reset instead, so further data is read
 * for a while and dropped; the remaining window, which no longer grows, bounds it. A client that ends its request in
 * time is not reset. These streams count as streams in progress. On the connection's loop.
 */
final class LingeringStreams {

    private record Stay(ClientHttp2Stream exchange, long due) {}

    private final Duration time;
    private final BiConsumer<ClientHttp2Stream, Http2Error> reset;
    private final Deadline deadline;
    private final Queue<Stay> stays = new ArrayDeque<>(2);

    /** @param reset ends a stream; does nothing to one that has ended */
    LingeringStreams(EventLoop loop, Duration time, BiConsumer<ClientHttp2Stream, Http2Error> reset) {
        this.time = time;
        this.reset = reset;
        this.deadline = new Deadline(loop, this::ring);
    }

    /** This stream has been answered, but its request has not ended. */
    void add(ClientHttp2Stream exchange) {
        if (stays.isEmpty()) {
            deadline.in(time);
        }
        stays.add(new Stay(exchange, System.nanoTime() + time.toNanos()));
    }

    /** The connection is gone. */
    void cancel() {
        stays.clear();
        deadline.cancel();
    }

    private void ring() {
        long now = System.nanoTime();
        for (Stay first = stays.peek(); first != null && first.due() - now <= 0; first = stays.peek()) {
            stays.remove();
            reset.accept(first.exchange(), Http2Error.NO_ERROR);
        }
        Stay next = stays.peek();
        if (next != null) {
            deadline.in(Duration.ofNanos(Math.max(next.due() - now, TimeUnit.MILLISECONDS.toNanos(1))));
        }
    }
}

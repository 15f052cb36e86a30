package dev.sallyport.compare.load;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Requests at a fixed rate, whatever becomes of those before. Latency counts from when a request was due, so that a stall is
 * felt by all the requests that it delayed (no coordinated omission).
 */
public final class FixedRate extends KeepAlive {

    private final ArrayDeque<Long> due = new ArrayDeque<>();
    private final long period;
    private long next;

    public FixedRate(Dialler dialler, Route route, int connections, int perSecond, String path, String... headers) {
        super(dialler, route, connections, path, headers);
        period = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    @Override
    void start() {
        due.clear();
        next = System.nanoTime();
        tick();
    }

    private void tick() {
        if (!running) {
            return;
        }
        long now = System.nanoTime();
        while (next <= now) {
            due.add(next);
            next += period;
        }
        while (!due.isEmpty()) {
            HttpClient client = takeIdle();
            if (client == null) {
                break;
            }
            send(client, due.remove());
        }
        loop.schedule(this::tick, Math.max(1, next - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    @Override
    void ready(HttpClient client) {
        Long since = running ? due.poll() : null;
        if (since == null) {
            putIdle(client);
        } else {
            send(client, since);
        }
    }
}

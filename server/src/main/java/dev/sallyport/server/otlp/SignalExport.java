package dev.sallyport.server.otlp;

import io.opentelemetry.api.metrics.Meter;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The export of one signal whose items wait in a queue: log records, or spans. Items may be offered from any thread, and
 * wait until there is a network. Otherwise confined to the thread that runs the server.
 */
final class SignalExport<T extends Sized, D> {

    private final Target target;
    private final BoundedQueue<T> queue;
    private final Function<T, D> encode;
    private final Function<Exporters, ExportLoop.Exporter<D>> exporter;
    private volatile @Nullable ExportMeters meters;
    private @Nullable ExportLoop<T, D> loop;

    /**
     * An export that has not begun.
     *
     * @param encode makes what the exporter takes
     * @param exporter opens the exporter
     */
    SignalExport(
            Target target,
            Batching bounds,
            Function<T, D> encode,
            Function<Exporters, ExportLoop.Exporter<D>> exporter) {
        this.target = target;
        this.queue = new BoundedQueue<>(bounds);
        this.encode = encode;
        this.exporter = exporter;
    }

    /** Counts what becomes of items. */
    void countWith(Meter meter) {
        ExportMeters counts = new ExportMeters(meter, target.signal());
        counts.watch(meter, queue);
        meters = counts;
    }

    /** Begins to send, where it is counted. */
    void begin(CollectorNetwork network) {
        ExportMeters counts = meters;
        if (counts != null) {
            ExportLoop<T, D> sending = new ExportLoop<>(
                    target,
                    queue,
                    encode,
                    attempts -> exporter.apply(new Exporters(target, network.to(target), attempts)),
                    counts);
            sending.start();
            loop = sending;
        }
    }

    /** From any thread; never waits. An item that does not fit is dropped, and counted. */
    void offer(T item) {
        ExportMeters counts = meters;
        if (!queue.offer(item) && counts != null) {
            counts.dropped(queue.isClosed() ? ExportMeters.Reason.SHUTDOWN : ExportMeters.Reason.QUEUE_FULL, 1);
        }
    }

    /** Takes no more. */
    void close() {
        queue.close();
    }

    /** Sends what is left, within a limit. Blocks. */
    void drain(Duration limit) {
        if (loop != null) {
            loop.close(limit);
        }
    }
}

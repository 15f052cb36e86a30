package dev.sallyport.server.otlp;

import dev.sallyport.core.meter.HeapExhaustion;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that exports one signal: takes a batch from the queue and sends it until the collector has it, then the next.
 * While a collector is away everything waits in the queue, in order. An item may arrive twice: when the answer to the
 * first time was lost.
 */
final class ExportLoop<T extends Sized, D> {

    private static final Logger LOG = LoggerFactory.getLogger(ExportLoop.class);

    private final BoundedQueue<T> queue;
    private final Function<T, D> encode;
    private final Function<Supplier<Consumer<Delivery>>, Exporter<D>> exporters;
    private final ExportMeters meters;
    private final ExportWarnings warnings;
    private final DeliveryRun run;
    private final Thread thread;
    private volatile boolean abandoned;

    /** How many items had to be left behind at the end. */
    private long left;

    /** An exporter of the SDK. */
    interface Exporter<D> {

        static <D> Exporter<D> of(Function<Collection<D>, CompletableResultCode> export, Runnable close) {
            return new Exporter<>() {
                @Override
                public CompletableResultCode export(Collection<D> batch) {
                    return export.apply(batch);
                }

                @Override
                public void close() {
                    close.run();
                }
            };
        }

        /** Exports once. */
        CompletableResultCode export(Collection<D> batch);

        /** Closes it. */
        void close();
    }

    /**
     * A loop that has not been started.
     *
     * @param encode makes what the exporter takes
     * @param exporters opens the exporter, on the thread of the loop; the argument yields, for each attempt, what is told how it
     *     has ended
     */
    ExportLoop(
            Target target,
            BoundedQueue<T> queue,
            Function<T, D> encode,
            Function<Supplier<Consumer<Delivery>>, Exporter<D>> exporters,
            ExportMeters meters) {
        this.queue = queue;
        this.encode = encode;
        this.exporters = exporters;
        this.meters = meters;
        this.warnings = new ExportWarnings(LOG, target, meters, queue.limits());
        this.run = new DeliveryRun(target.timeout(), meters, warnings, () -> abandoned, queue::isClosed);
        this.thread = Thread.ofPlatform()
                .daemon()
                .name(CollectorNetwork.THREAD + "-" + target.signal().text())
                .unstarted(this::run);
        queue.takenBy(thread);
    }

    void start() {
        thread.start();
    }

    /** Sends what is left, within a limit. Blocks. */
    void close(Duration limit) {
        queue.close();
        if (thread.getState() == Thread.State.NEW) {
            return;
        }
        try {
            if (!thread.join(limit)) {
                abandoned = true;
                LockSupport.unpark(thread);
                thread.join(Duration.ofMillis(500));
            }
        } catch (InterruptedException e) {
            abandoned = true;
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            Exporter<D> exporter = exporters.apply(run::attempt);
            try {
                export(exporter);
            } finally {
                exporter.close();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            HeapExhaustion.note(e);
            LOG.error("otlp: {} are not exported any more", meters.signal().items(), e);
        }
    }

    private void export(Exporter<D> exporter) {
        List<T> batch = new ArrayList<>();
        queue.take(batch);
        while (!batch.isEmpty() || !queue.isClosed()) {
            if (!batch.isEmpty()) {
                deliver(exporter, batch);
                queue.release(batch);
                batch.clear();
            }
            warnings.drops();
            queue.take(batch);
        }
        if (left > 0) {
            warnings.left(left);
        }
    }

    private void deliver(Exporter<D> exporter, List<T> batch) {
        List<D> encoded = new ArrayList<>(batch.size());
        for (T item : batch) {
            try {
                encoded.add(encode.apply(item));
            } catch (RuntimeException e) {
                meters.dropped(ExportMeters.Reason.REFUSED, 1);
                warnings.refused(1, "it could not be encoded: " + e);
            }
        }
        if (abandoned || encoded.isEmpty()) {
            lost(encoded.size());
            return;
        }
        switch (run.deliver(() -> exporter.export(encoded))) {
            case Delivery.Taken taken -> taken(taken, encoded.size());
            case Delivery.Refused refused -> {
                meters.dropped(ExportMeters.Reason.REFUSED, encoded.size());
                warnings.refused(encoded.size(), refused.why());
            }
            case Delivery.Failed failed -> lost(encoded.size());
        }
    }

    private void taken(Delivery.Taken taken, int items) {
        long rejected = Math.min(items, taken.rejected());
        meters.exported(items - rejected);
        warnings.taken();
        if (rejected > 0) {
            meters.dropped(ExportMeters.Reason.REFUSED, rejected);
            warnings.refused(rejected, taken.message());
        }
    }

    private void lost(int items) {
        left += items;
        meters.dropped(ExportMeters.Reason.SHUTDOWN, items);
    }
}

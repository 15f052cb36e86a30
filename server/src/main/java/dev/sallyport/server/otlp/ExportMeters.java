package dev.sallyport.server.otlp;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.concurrent.atomic.AtomicLong;

/** What became of the items of one signal. Thread-safe; counting never blocks. */
final class ExportMeters {

    /** Why items were dropped. */
    enum Reason {
        QUEUE_FULL("queue_full"),
        REFUSED("refused"),
        SHUTDOWN("shutdown");

        private final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    private static final AttributeKey<String> SIGNAL = AttributeKey.stringKey("signal");
    private static final AttributeKey<String> REASON = AttributeKey.stringKey("reason");

    private final Signal signal;
    private final Attributes labels;
    private final LongCounter exported;
    private final LongCounter dropped;
    private final LongCounter failures;
    private final AtomicLong crowdedOut = new AtomicLong();

    ExportMeters(Meter meter, Signal signal) {
        this.signal = signal;
        this.labels = Attributes.of(SIGNAL, signal.text());
        exported = meter.counterBuilder("sallyport.otlp.exported")
                .setDescription("Log records and spans that a collector has taken.")
                .build();
        dropped = meter.counterBuilder("sallyport.otlp.dropped")
                .setDescription("Log records and spans that no collector has taken, by reason.")
                .build();
        failures = meter.counterBuilder("sallyport.otlp.failures")
                .setDescription("Attempts to export that failed; most are repeated.")
                .build();
        failures.add(0, labels);
        if (signal != Signal.METRICS) {
            exported.add(0, labels);
            for (Reason reason : Reason.values()) {
                dropped.add(0, Attributes.of(SIGNAL, signal.text(), REASON, reason.text));
            }
        }
    }

    /** Registers the length of the queue. */
    void watch(Meter meter, BoundedQueue<?> queue) {
        meter.gaugeBuilder("sallyport.otlp.queued")
                .ofLongs()
                .setDescription("Log records and spans that wait for a collector.")
                .buildWithCallback(to -> to.record(queue.size(), labels));
    }

    Signal signal() {
        return signal;
    }

    void exported(long items) {
        exported.add(items, labels);
    }

    void failed() {
        failures.add(1, labels);
    }

    void dropped(Reason reason, long items) {
        if (reason == Reason.QUEUE_FULL) {
            crowdedOut.addAndGet(items);
        }
        dropped.add(items, Attributes.of(SIGNAL, signal.text(), REASON, reason.text));
    }

    /** How many items found the queue full so far. */
    long crowdedOut() {
        return crowdedOut.get();
    }
}

package dev.sallyport.feed;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.List;

/** Tells how events come along, until it is closed. */
final class EventMeters implements AutoCloseable {

    private static final double MILLIS = 1000.0;

    private final List<AutoCloseable> observed = new ArrayList<>();

    EventMeters(OpenTelemetry telemetry, EventSpool spool, EventSink sink, EventSender sender) {
        Meter meter = telemetry.getMeter("dev.sallyport.feed");
        observed.add(meter.gaugeBuilder("sallyport.feed.events.spool")
                .setDescription("Events of egress that wait for the control plane.")
                .setUnit("By")
                .ofLongs()
                .buildWithCallback(to -> to.record(spool.bytes())));
        observed.add(meter.gaugeBuilder("sallyport.feed.events.spool.limit")
                .setDescription("How many bytes of them may wait.")
                .setUnit("By")
                .ofLongs()
                .buildWithCallback(to -> to.record(spool.capacity())));
        observed.add(meter.gaugeBuilder("sallyport.feed.events.lag")
                .setDescription("How long the event has waited that waits longest; 0 for none.")
                .setUnit("s")
                .buildWithCallback(to -> to.record(sender.lagMillis() / MILLIS)));
        observed.add(meter.counterBuilder("sallyport.feed.events.sent")
                .setDescription("Events of egress that were delivered.")
                .buildWithCallback(to -> to.record(sender.sent())));
        observed.add(meter.counterBuilder("sallyport.feed.events.refused")
                .setDescription("Events that the control plane has refused, and that were left out.")
                .buildWithCallback(to -> to.record(sender.lost())));
        observed.add(meter.counterBuilder("sallyport.feed.events.lost")
                .setDescription("Events that could not be made or kept here.")
                .buildWithCallback(to -> to.record(sink.lost())));
        observed.add(meter.counterBuilder("sallyport.feed.events.holds")
                .setDescription("Times that no request was taken because there was no room for its event.")
                .buildWithCallback(to -> to.record(sink.holds())));
    }

    @Override
    public void close() {
        for (AutoCloseable one : observed) {
            try {
                one.close();
            } catch (Exception e) {
                throw new IllegalStateException(e); // instruments do not throw
            }
        }
    }
}

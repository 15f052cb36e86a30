package dev.sallyport.control.feed;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Tells how the events of the proxy in the same process come along, until it is closed. */
public final class EventMeters implements AutoCloseable {

    private static final AttributeKey<String> ORGANIZATION = AttributeKey.stringKey("organization");
    private static final double MILLIS = 1000.0;

    private final List<Runnable> observed = new ArrayList<>();

    public EventMeters(OpenTelemetry telemetry, EmbeddedEvents events) {
        Meter meter = telemetry.getMeter("dev.sallyport.control");
        observed.add(meter.gaugeBuilder("sallyport.control.events.waiting")
                .setDescription("Events of the proxy of this process that are not stored yet.")
                .setUnit("{event}")
                .ofLongs()
                .buildWithCallback(to -> to.record(events.waiting()))::close);
        observed.add(meter.gaugeBuilder("sallyport.control.events.lag")
                .setDescription("How long the event has waited that waits longest; 0 for none.")
                .setUnit("s")
                .buildWithCallback(to -> to.record(lag(events.oldestMillis())))::close);
        observed.add(meter.counterBuilder("sallyport.control.events.stored")
                .setDescription("Events of the proxy of this process that were stored.")
                .buildWithCallback(to -> to.record(events.stored()))::close);
        counted(
                meter,
                "sallyport.control.events.lost",
                "Events of the proxy of this process that could not be made or stored.",
                events.counts()::lost);
        counted(
                meter,
                "sallyport.control.events.cut",
                "Events of the proxy of this process that have only some of their replacements, because those that wait had no room for more.",
                events.counts()::cut);
        counted(
                meter,
                "sallyport.control.events.holds",
                "Times that no request was taken because there was no room for its event: of an organization, or of all together.",
                events.counts()::holds);
    }

    private void counted(Meter meter, String name, String description, Supplier<Map<String, Long>> counts) {
        observed.add(meter.counterBuilder(name).setDescription(description).buildWithCallback(to -> {
            Map<String, Long> now = counts.get();
            to.record(now.getOrDefault(EventCounts.OTHER, 0L), Attributes.of(ORGANIZATION, EventCounts.OTHER));
            now.forEach((organization, count) -> {
                if (!organization.equals(EventCounts.OTHER)) {
                    to.record(count, Attributes.of(ORGANIZATION, organization));
                }
            });
        })::close);
    }

    private static double lag(long oldestMillis) {
        return oldestMillis == 0 ? 0 : Math.max(1, System.currentTimeMillis() - oldestMillis) / MILLIS;
    }

    @Override
    public void close() {
        observed.forEach(Runnable::run);
    }
}

package dev.sallyport.control.feed;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleGauge;
import io.opentelemetry.api.metrics.ObservableLongGauge;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/** Times compiling, counts snapshots, and tells how far proxies are behind. Thread-safe. */
@Singleton
final class FeedMeters implements AutoCloseable {

    /** Proxies that are told of one by one, those furthest behind first: each is a series of its own. */
    private static final int TOLD = 1000;

    private static final AttributeKey<String> PROXY = AttributeKey.stringKey("proxy");
    private static final List<Double> SECONDS = List.of(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0);

    private final Meter meter;
    private final DoubleHistogram compiled;
    private final LongCounter refusing;
    private final LongCounter sent;
    private final LongCounter secrets;
    private final List<Runnable> observed = new CopyOnWriteArrayList<>();

    FeedMeters(OpenTelemetry telemetry) {
        meter = telemetry.getMeter("dev.sallyport.control");
        compiled = meter.histogramBuilder("sallyport.control.feed.compile.duration")
                .setDescription(
                        "Reading the policies of an organization and compiling them for proxies of the same tags.")
                .setUnit("s")
                .setExplicitBucketBoundariesAdvice(SECONDS)
                .build();
        refusing = meter.counterBuilder("sallyport.control.feed.compile.failures")
                .setDescription("Compilations whose proxies refuse everything, because policies cannot be compiled.")
                .build();
        sent = meter.counterBuilder("sallyport.control.feed.snapshots")
                .setDescription("Snapshots sent to proxies.")
                .build();
        secrets = meter.counterBuilder("sallyport.control.feed.secrets")
                .setDescription("Values of secrets sealed for proxies elsewhere.")
                .build();
    }

    /**
     * Tells of these from now on, until the end.
     *
     * @param behindNanos how long changes have not been read; 0 while they are
     */
    void observe(Collection<ProxySession> sessions, LongSupplier behindNanos) {
        ObservableLongGauge connected = meter.gaugeBuilder("sallyport.control.feed.proxies")
                .setDescription("Connected proxies, that of this process included.")
                .ofLongs()
                .buildWithCallback(to -> to.record(proxies(sessions)));
        observed.add(connected::close);
        ObservableDoubleGauge lag = meter.gaugeBuilder("sallyport.control.feed.lag")
                .setDescription("How long a change has waited that a connected proxy has not applied; 0 for none.")
                .setUnit("s")
                .buildWithCallback(to -> furthestBehind(sessions, behindNanos.getAsLong())
                        .forEach(behind -> to.record(behind.seconds(), Attributes.of(PROXY, behind.proxy()))));
        observed.add(lag::close);
    }

    /** How many proxies have these sessions: one that accounts share has one for each of them. */
    static long proxies(Collection<ProxySession> sessions) {
        return sessions.stream()
                .filter(ProxySession::isProxy)
                .map(ProxySession::name)
                .distinct()
                .count();
    }

    private record Lag(String proxy, double seconds) {}

    private static List<Lag> furthestBehind(Collection<ProxySession> sessions, long atLeast) {
        Map<String, Long> behind = new HashMap<>();
        sessions.stream()
                .filter(ProxySession::isProxy)
                .forEach(session -> behind.merge(session.name(), Math.max(atLeast, session.behindNanos()), Math::max));
        List<Lag> all = new ArrayList<>();
        behind.forEach((proxy, nanos) -> all.add(new Lag(proxy, nanos / 1e9)));
        all.sort(Comparator.comparingDouble(Lag::seconds).reversed());
        return all.subList(0, Math.min(TOLD, all.size()));
    }

    /** @param began as {@link System#nanoTime} told it */
    void compiled(long began, Compiled pipeline) {
        compiled.record((System.nanoTime() - began) / 1e9);
        if (!pipeline.problems().isEmpty()) {
            refusing.add(1);
        }
    }

    void sent() {
        sent.add(1);
    }

    void sealed(int values) {
        secrets.add(values);
    }

    @Override
    @PreDestroy
    public void close() {
        observed.forEach(Runnable::run);
    }
}

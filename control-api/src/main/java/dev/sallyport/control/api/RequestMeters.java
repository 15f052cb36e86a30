package dev.sallyport.control.api;

import io.micronaut.http.HttpRequest;
import io.micronaut.web.router.RouteMatch;
import io.micronaut.web.router.UriRouteMatch;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts and times requests, by route and status. */
@Singleton
final class RequestMeters {

    private static final String BEGAN = "sallyport.began";
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("method");
    private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("route");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("status");
    private static final List<Double> BUCKETS =
            List.of(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0);

    private final DoubleHistogram durations;

    RequestMeters(OpenTelemetry telemetry) {
        Meter meter = telemetry.getMeter("dev.sallyport.control");
        durations = meter.histogramBuilder("sallyport.control.request.duration")
                .setDescription("Requests of the control plane.")
                .setUnit("s")
                .setExplicitBucketBoundariesAdvice(BUCKETS)
                .build();
    }

    void begin(HttpRequest<?> request) {
        request.setAttribute(BEGAN, System.nanoTime());
    }

    void end(HttpRequest<?> request, @Nullable RouteMatch<?> route, int status) {
        Long began = request.getAttribute(BEGAN, Long.class).orElse(null);
        if (began == null) {
            return;
        }
        String name = route instanceof UriRouteMatch<?, ?> match ? Requests.template(match.getRouteInfo()) : "none";
        durations.record(
                (System.nanoTime() - began) / 1e9,
                Attributes.of(METHOD, request.getMethod().name(), ROUTE, name, STATUS, (long) status));
    }
}

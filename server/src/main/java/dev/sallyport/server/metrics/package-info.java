/**
 * Collects the proxy's metrics and writes them in the formats of Prometheus.
 *
 * <p>Starting points: {@link dev.sallyport.server.metrics.Telemetry}.
 */
@NullMarked
package dev.sallyport.server.metrics;

import org.jspecify.annotations.NullMarked;

/**
 * Where what the proxy counts is collected and written in the formats of Prometheus.
 *
 * <p>Starting points: {@link dev.sallyport.server.metrics.Telemetry}.
 */
@NullMarked
package dev.sallyport.server.metrics;

import org.jspecify.annotations.NullMarked;

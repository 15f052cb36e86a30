/**
 * The proxy's counters and timers, over the OpenTelemetry API: nothing is exported unless the embedding application
 * provides an SDK.
 *
 * <p>Starting points: {@link dev.sallyport.core.meter.MeterRegistry}.
 */
@NullMarked
package dev.sallyport.core.meter;

import org.jspecify.annotations.NullMarked;

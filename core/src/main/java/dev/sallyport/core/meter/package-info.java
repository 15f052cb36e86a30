/**
 * What the proxy counts and times, over the OpenTelemetry API: nothing is exported unless the embedding application brings
 * an SDK.
 *
 * <p>Starting points: {@link dev.sallyport.core.meter.MeterBook}.
 */
@NullMarked
package dev.sallyport.core.meter;

import org.jspecify.annotations.NullMarked;

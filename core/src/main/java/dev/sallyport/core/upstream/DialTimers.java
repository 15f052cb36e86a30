package dev.sallyport.core.upstream;

import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.meter.OutcomeTimer;

/**
 * Times new connections to origins. Thread-safe.
 *
 * @param connect the time from the known addresses to a TCP connection
 * @param handshake the duration of TLS handshakes
 */
public record DialTimers(OutcomeTimer connect, OutcomeTimer handshake) {

    /** Records nothing. */
    public static final DialTimers NONE = new DialTimers(OutcomeTimer.NONE, OutcomeTimer.NONE);

    /** The timers of a proxy. */
    public static DialTimers of(MeterRegistry meters) {
        return new DialTimers(
                OutcomeTimer.of(
                        meters,
                        "upstream.connect.duration",
                        "How long TCP connections to origins took, once their addresses were known."),
                OutcomeTimer.of(meters, "upstream.handshake.duration", "How long TLS handshakes with origins took."));
    }
}

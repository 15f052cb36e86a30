package dev.sallyport.compare.load;

import org.HdrHistogram.Histogram;

/**
 * What was counted in one window.
 *
 * @param seconds how long the window was
 * @param operations what was completed in it
 * @param bytes of bodies
 * @param errors operations that failed, and connections that could not be opened
 * @param reconnects connections that were kept and then found closed, so that a request went over another one
 * @param latencies in microseconds
 */
public record Tally(double seconds, long operations, long bytes, long errors, long reconnects, Histogram latencies) {

    public double rate() {
        return operations / seconds;
    }

    /** In microseconds; 0 if nothing was completed. */
    public double percentile(double percentile) {
        return latencies.getTotalCount() == 0 ? 0 : latencies.getValueAtPercentile(percentile);
    }
}

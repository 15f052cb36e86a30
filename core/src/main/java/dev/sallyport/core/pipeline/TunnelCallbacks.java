package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ConnectContext;

/** A tunnel that transforms are asked about. All calls are on the loop of its connection. */
public interface TunnelCallbacks extends ConnectContext {

    /**
     * This stage is asked next: from now on {@link #trace} is its entry.
     *
     * @param nanos the time, as of {@link System#nanoTime}
     *
     */
    void asking(Stage stage, long nanos);

    /** The stage that was asked last has refused, or failed and therefore refuses. */
    void refused(Generation.TunnelRefusal refusal);
}

package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ConnectContext;

/** What asks whether a tunnel may open. All calls on its loop. */
public interface TunnelCallbacks extends ConnectContext {

    /**
     * This stage is asked next: what is noted from now on is its own.
     *
     * @param nanos the time, as {@link System#nanoTime} tells it
     */
    void asking(Stage stage, long nanos);

    /** The stage that was asked last refused, or failed and so refuses. */
    void refused(Generation.TunnelRefusal refusal);
}

package dev.sallyport.core.pipeline;

import dev.sallyport.spi.ConnectContext;

/** The tunnel about which transforms are asked. All calls on its loop. */
public interface TunnelCallbacks extends ConnectContext {

    /**
     * This stage is asked next: trace notes from now on belong to it.
     *
     * @param nanos the time, as of {@link System#nanoTime}
     */
    void asking(Stage stage, long nanos);

    /** The stage that was asked last has refused, or failed and therefore refuses. */
    void refused(Generation.TunnelRefusal refusal);
}

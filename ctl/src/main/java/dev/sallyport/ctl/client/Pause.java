package dev.sallyport.ctl.client;

import java.time.Duration;

/** How one waits. */
@FunctionalInterface
public interface Pause {

    /** Waits. */
    void sleep(Duration time) throws InterruptedException;
}

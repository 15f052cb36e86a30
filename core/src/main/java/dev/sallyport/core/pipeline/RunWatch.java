package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RequestHead;

/**
 * Observes a run, and may stop it before a step calls out or waits for a body. Explanations have one, exchanges do not.
 * All calls are on the loop.
 *
 * <p>A watch that returns false has already concluded, and cancels the run.
 *
 *
 */
public interface RunWatch {

    /** The head as the stage gets it. */
    RequestHead shown(Stage stage, RequestHead head);

    /** Whether a step of this stage may leave the loop. */
    boolean mayLeave(Stage stage);

    /** Whether this stage may wait for the body. */
    boolean mayRead(Stage stage);

    /** The stage has continued with these edits, at least one, which are applied next. */
    void edits(Stage stage, Edits edits);
}

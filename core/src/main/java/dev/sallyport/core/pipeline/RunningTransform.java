package dev.sallyport.core.pipeline;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The transform whose code an event loop is running. The loop writes it with plain stores and without reading the
 * clock; a watchdog reads it to learn why the loop does not return.
 */
public final class RunningTransform {

    private final AtomicReference<@Nullable Stage> stage = new AtomicReference<>();

    /** The code of a stage begins; returns the stage that it interrupts, to be passed back at its end. */
    @Nullable Stage enter(Stage next) {
        Stage before = stage.getPlain();
        stage.setOpaque(next);
        return before;
    }

    void leave(@Nullable Stage before) {
        stage.setOpaque(before);
    }

    /** The name of the transform whose code is running; null while the engine's own code runs. From any thread. */
    public @Nullable String transform() {
        Stage running = stage.getOpaque();
        return running == null ? null : running.name();
    }
}

package dev.sallyport.core.pipeline;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The transform whose code an event loop is running. Written by the loop, with plain stores and without a look at the
 * clock; read by whoever wants to know why it does not come back.
 */
public final class RunningTransform {

    private final AtomicReference<@Nullable Stage> stage = new AtomicReference<>();

    /** The code of a stage begins; returns whose it interrupts, to be given back. */
    @Nullable Stage enter(Stage next) {
        Stage before = stage.getPlain();
        stage.setOpaque(next);
        return before;
    }

    void leave(@Nullable Stage before) {
        stage.setOpaque(before);
    }

    /** The name of the transform whose code is running, or null: the engine's own. From any thread. */
    public @Nullable String transform() {
        Stage running = stage.getOpaque();
        return running == null ? null : running.name();
    }
}

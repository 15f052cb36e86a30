package dev.sallyport.core.body;

import dev.sallyport.spi.BodyObserver;
import java.nio.ByteBuffer;

/** An observer of a plug-in, which hears of the end exactly once and whose failures end only itself. */
final class Watcher {

    private final BodyObserver observer;
    private final int position;
    private final BodyNotes notes;
    private boolean ended;

    Watcher(BodyObserver observer, int position, BodyNotes notes) {
        this.observer = observer;
        this.position = position;
        this.notes = notes;
    }

    void data(ByteBuffer bytes) {
        if (ended) {
            return;
        }
        try {
            observer.data(bytes);
        } catch (Throwable e) {
            detach("observer: " + e.getClass().getSimpleName());
        }
    }

    void end(boolean complete) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            observer.end(complete);
        } catch (Throwable e) {
            notes.observerDetached(position, "observer: " + e.getClass().getSimpleName());
        }
    }

    /** Ends it early. */
    void detach(String why) {
        if (!ended) {
            end(false);
            notes.observerDetached(position, why);
        }
    }
}

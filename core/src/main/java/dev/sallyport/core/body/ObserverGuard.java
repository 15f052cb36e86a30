package dev.sallyport.core.body;

import dev.sallyport.core.meter.HeapExhaustion;
import dev.sallyport.spi.BodyObserver;
import java.nio.ByteBuffer;

/** Guards a plug-in's observer: calls its end exactly once, and lets its failures end only itself. */
final class ObserverGuard {

    private final BodyObserver observer;
    private final int position;
    private final BodyEventListener notes;
    private boolean ended;

    ObserverGuard(BodyObserver observer, int position, BodyEventListener notes) {
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
            HeapExhaustion.note(e);
            detach("observer: " + e.getClass().getSimpleName());
        }
    }

    /** Whether it need not see the rest. */
    boolean satisfied() {
        return ended || observer.satisfied();
    }

    void end(boolean complete) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            observer.end(complete);
        } catch (Throwable e) {
            HeapExhaustion.note(e);
            notes.observerDetached(position, "observer: " + e.getClass().getSimpleName());
        }
    }

    /** Tells an observer why it sees no more; its end is called later. */
    static void withhold(BodyObserver observer, String why) {
        try {
            observer.withheld(why);
        } catch (Throwable e) {
            HeapExhaustion.note(e);
            // It is on its way out already, and its end is called all the same.
        }
    }

    /** Ends it early. */
    void detach(String why) {
        if (!ended) {
            withhold(observer, why);
            end(false);
            notes.observerDetached(position, why);
        }
    }
}

package dev.sallyport.control;

import dev.sallyport.control.feed.EmbeddedEvents;
import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import java.util.List;

/** Those of a proxy that records nothing. */
final class DeafTaps implements AuditTaps {

    /** A proxy in this process that has only a door. */
    static Surroundings.Proxy proxy(PipelineFeed door) {
        return new Surroundings.Proxy(door, new EmbeddedEvents(new DeafTaps()), List::of, Surroundings.Program.NONE);
    }

    @Override
    public void sink(AuditSink sink) {}

    @Override
    public int slots() {
        return 1_000;
    }

    @Override
    public Runnable hold() {
        return () -> {};
    }

    @Override
    public Runnable hold(String organization) {
        return hold();
    }

    @Override
    public Runnable listen(AuditListener listener) {
        return () -> {};
    }
}

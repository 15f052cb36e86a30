package dev.sallyport.control.api;

import dev.sallyport.control.feed.Outlet;
import io.micronaut.http.sse.Event;

/**
 * The answer to a proxy. A few events wait for one that is slow; one that does not take them is not waited for, and its
 * answer ends.
 */
final class EventStream extends EventAnswer implements Outlet {

    private static final int WAITING = 64;

    @Override
    public void send(String event, String data) {
        offer(Event.of(data).name(event), WAITING);
    }

    @Override
    public void end() {
        finish(false);
    }
}

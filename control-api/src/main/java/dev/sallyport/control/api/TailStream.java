package dev.sallyport.control.api;

import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressTail;
import dev.sallyport.control.model.Json;
import io.micronaut.http.sse.Event;
import java.util.function.BooleanSupplier;

/**
 * An answer with what a follower gets. The follower begins with the subscriber. It holds some events for a client that is
 * slow, and takes no more until there is room.
 */
final class TailStream extends EventAnswer implements EgressTail.Receiver {

    private static final int WAITING = 128;

    private final Runnable demanded;
    private BooleanSupplier begin = () -> false;

    /**
     * An empty one.
     *
     * @param demanded run when the client takes more
     */
    TailStream(Runnable demanded) {
        this.demanded = demanded;
    }

    /** Begins with where it begins: the head of an answer is sent with its first event. */
    void open(EgressTail.Follower follower) {
        begin = follower::start;
        onClose(follower::close);
        send(Event.of("{\"resumed\":" + follower.isResumed() + "}")
                .name("hello")
                .id(follower.position()));
    }

    @Override
    public int room() {
        return Math.max(0, WAITING - waitingCount());
    }

    @Override
    public void event(String position, EgressEvent event) {
        send(Event.of(Json.text(event)).name("event").id(position));
    }

    @Override
    public void alive(String position) {
        offerIfIdle(Event.of("{}").name("heartbeat").id(position));
    }

    /** Who sends looks for {@link #room} before. */
    private void send(Event<String> event) {
        offer(event, Integer.MAX_VALUE);
    }

    @Override
    public void end() {
        finish(true);
    }

    @Override
    void begun() {
        if (!begin.getAsBoolean()) {
            finish(true);
        }
    }

    @Override
    void demanded() {
        demanded.run();
    }
}

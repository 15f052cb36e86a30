package dev.sallyport.control.api;

import dev.sallyport.control.agent.AgentLogs;
import dev.sallyport.control.agent.AgentStatus;
import dev.sallyport.control.model.Json;
import io.micronaut.http.sse.Event;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer with the log of an agent. It begins with the subscriber, holds some parts for a client that is slow, and takes
 * no more until there is room.
 */
final class LogStream extends EventAnswer implements AgentLogs.Receiver {

    private static final int WAITING = 40;

    private final Runnable demanded;
    private BooleanSupplier begin = () -> false;

    /**
     * An empty one.
     *
     * @param demanded run when the client takes more
     */
    LogStream(Runnable demanded) {
        this.demanded = demanded;
    }

    /** What an event of name {@code log} has as its data. */
    record Line(Instant at, String text) {}

    private record End(AgentStatus status) {}

    /** Begins with where it begins: the head of an answer is sent with its first event. */
    void open(AgentLogs.Follower follower) {
        begin = follower::start;
        onClose(follower::close);
        send(Event.of("{\"resumed\":" + follower.isResumed() + "}").name("hello"));
    }

    @Override
    public int room() {
        return Math.max(0, WAITING - waitingCount());
    }

    @Override
    public void part(AgentLogs.Part part) {
        send(Event.of(Json.text(new Line(part.at(), part.text()))).name("log").id(String.valueOf(part.seq())));
    }

    @Override
    public void alive() {
        offerIfIdle(Event.of("{}").name("heartbeat"));
    }

    /** Who sends looks for {@link #room} before. */
    private void send(Event<String> event) {
        offer(event, Integer.MAX_VALUE);
    }

    @Override
    public void end(@Nullable AgentStatus status) {
        if (status != null) {
            send(Event.of(Json.text(new End(status))).name("end"));
        }
        finish(false);
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

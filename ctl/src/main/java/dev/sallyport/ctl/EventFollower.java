package dev.sallyport.ctl;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.EventStream;
import dev.sallyport.ctl.client.ServerEvent;
import dev.sallyport.ctl.client.Unreachable;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows events over as many connections as it takes: each goes on where the one before ended, so that no event is missed
 * and none is shown twice. A first connection that fails is told at once.
 */
final class EventFollower {

    /** The server says something each 15 s. */
    private static final Duration SILENCE = Duration.ofSeconds(45);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** Refusals that pass: too many streams (that which broke may count still), too many requests, an overload. */
    private static final Set<Integer> PASSING = Set.of(409, 429, 503);

    private final ApiClient api;
    private final Terminal terminal;
    private final Receiver receiver;

    private @Nullable String position;
    private boolean begun;
    private Duration pause = FIRST_PAUSE;

    /** Takes events, but those that are about the connection. */
    @FunctionalInterface
    interface Receiver {

        /** Takes one; returns whether it was the last that is wanted. */
        boolean take(String name, JsonNode data);
    }

    EventFollower(ApiClient api, Terminal terminal, Receiver receiver) {
        this.api = api;
        this.terminal = terminal;
        this.receiver = receiver;
    }

    /** Takes what comes. Blocks until the last that is wanted, or until the control plane wants no more. */
    void follow(Call call) throws Problem, InterruptedException {
        while (true) {
            Duration wait = null;
            try (EventStream events = api.follow(call.header("Last-Event-ID", position))) {
                if (receive(events)) {
                    return;
                }
            } catch (ApiRefusal refusal) {
                if (!begun || !PASSING.contains(refusal.status())) {
                    throw refusal;
                }
                wait = refusal.retryAfter();
            } catch (Unreachable unreachable) {
                if (!begun) {
                    throw unreachable;
                }
                terminal.note(unreachable.message() + "; trying again");
            }
            terminal.pause().sleep(wait == null ? pause : wait);
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** Takes what is there, on one connection. */
    void read(Call call) throws Problem, InterruptedException {
        try (EventStream events = api.follow(call)) {
            receive(events);
        }
    }

    /** Returns true after the last that is wanted, and false at the end of the answer. */
    private boolean receive(EventStream events) throws Problem, InterruptedException {
        for (ServerEvent event = events.next(SILENCE); event != null; event = events.next(SILENCE)) {
            boolean again = begun;
            JsonNode data = data(event);
            begun = true;
            position = event.id().isEmpty() ? position : event.id();
            pause = FIRST_PAUSE;
            if (event.name().equals("hello")) {
                if (again && !data.path("resumed").asBoolean()) {
                    terminal.note(
                            "some events may be missing: the control plane cannot go on where the connection ended");
                }
            } else if (!event.name().equals("heartbeat") && receiver.take(event.name(), data)) {
                return true;
            }
        }
        return false;
    }

    private static JsonNode data(ServerEvent event) throws Problem {
        try {
            return Json.parse(event.data().getBytes(StandardCharsets.UTF_8));
        } catch (JacksonException e) {
            throw new Problem(ExitCode.UNREACHABLE, "an event that is no JSON (expected: the API of a control plane)");
        }
    }
}

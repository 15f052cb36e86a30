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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows the record of requests over as many connections as it takes: each goes on where the one before ended, so that no
 * event is missed and none is shown twice. A first connection that fails is told at once.
 */
final class AuditFollower {

    /** The server says something each 15 s. */
    private static final Duration SILENCE = Duration.ofSeconds(45);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** Refusals that pass: too many streams (that which broke may count still), too many requests, an overload. */
    private static final Set<Integer> PASSING = Set.of(409, 429, 503);

    private final ApiClient api;
    private final Terminal terminal;
    private final Consumer<JsonNode> receiver;

    private @Nullable String position;
    private Duration pause = FIRST_PAUSE;
    private long left;

    AuditFollower(ApiClient api, Terminal terminal, Consumer<JsonNode> receiver) {
        this.api = api;
        this.terminal = terminal;
        this.receiver = receiver;
    }

    /** Shows so many events. Blocks until then, or until the control plane wants no more. */
    void follow(Call call, long count) throws Problem, InterruptedException {
        left = count;
        while (true) {
            Duration wait = null;
            try (EventStream events = api.follow(call.header("Last-Event-ID", position))) {
                if (receive(events)) {
                    return;
                }
            } catch (ApiRefusal refusal) {
                if (position == null || !PASSING.contains(refusal.status())) {
                    throw refusal;
                }
                wait = refusal.retryAfter();
            } catch (Unreachable unreachable) {
                if (position == null) {
                    throw unreachable;
                }
                terminal.note(unreachable.message() + "; trying again");
            }
            terminal.pause().sleep(wait == null ? pause : wait);
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** Returns true when so many events were shown, and false at the end of the answer. */
    private boolean receive(EventStream events) throws Problem, InterruptedException {
        for (ServerEvent event = events.next(SILENCE); event != null; event = events.next(SILENCE)) {
            boolean again = position != null;
            JsonNode data = data(event);
            if (event.name().equals("hello") && again && !data.path("resumed").asBoolean()) {
                terminal.note("some events may be missing: the control plane cannot go on where the connection ended");
            } else if (event.name().equals("event")) {
                receiver.accept(data);
                left--;
            }
            position = event.id().isEmpty() ? position : event.id();
            pause = FIRST_PAUSE;
            if (left == 0) {
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

package dev.sallyport.control.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.feed.Fanout;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Refusal;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code ?wait=applied}: a change is answered when the connected proxies have applied it. Blocks the request's thread. */
@Singleton
final class AppliedWaits {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Fanout fanout;

    AppliedWaits(Fanout fanout) {
        this.fanout = fanout;
    }

    /** What a change may be asked to wait for. */
    record Query(
            @JsonProperty("wait")
            @Limits(description = "Answer when the connected proxies of the organization have applied the change.")
            @Nullable Until until,

            @Limits(
                    pattern = "[0-9]{1,5}(ms|s)",
                    expected = "a time such as 500ms or 5s",
                    description = "How long to wait, at most 30s.",
                    defaultValue = "5s")
            @Nullable String timeout) {}

    /** For what. */
    enum Until {
        /** Proxies have acknowledged the change. */
        APPLIED
    }

    /** A wait that somebody has asked for; null for none. */
    record Wait(Duration atMost) {}

    /** Reads the query of a change. */
    @Nullable Wait asked(HttpRequest<?> request) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        if (query.until() == null) {
            return null;
        }
        Duration atMost = duration(query.timeout() == null ? "5s" : query.timeout());
        if (atMost.compareTo(LONGEST) > 0) {
            throw Refusal.invalid("timeout", "longer than 30s (expected: at most 30s)");
        }
        return new Wait(atMost);
    }

    private static Duration duration(String text) {
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                : Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
    }

    /** Waits where that was asked for, and completes the answer to a change. */
    Answer finish(@Nullable Wait wait, Caller caller, long revision, Answer answer) {
        Answer numbered = answer.revision(revision);
        if (wait == null) {
            return numbered;
        }
        boolean applied = fanout.awaitApplied(caller.organizationId(), revision, wait.atMost());
        return numbered.with(Headers.APPLIED, String.valueOf(applied));
    }
}

package dev.sallyport.control.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.feed.Fanout;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Outcome;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Written;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code ?wait=applied}: a change of an account is answered when it is in force. For all of them, connected proxies have
 * applied it; what else each brings about, its route says. Blocks the request's thread.
 */
@Singleton
final class AppliedWaits {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Fanout fanout;
    private final ChangeLog changes;

    AppliedWaits(Fanout fanout, ChangeLog changes) {
        this.fanout = fanout;
        this.changes = changes;
    }

    /** What a change may be asked to wait for. */
    record Query(
            @JsonProperty("wait")
            @Limits(
                    description =
                            "Answer when the change is in force: the connected proxies of the organization have applied it, guests have the variables, and a VM or snapshot is what was asked for.")
            @Nullable Until until,

            @Limits(
                    pattern = "[0-9]{1,5}(ms|s)",
                    expected = "a time such as 500ms or 5s",
                    description = "How long to wait, at most 30s.",
                    defaultValue = "5s")
            @Nullable String timeout) {}

    /** For what. */
    enum Until {
        /** It is in force. */
        APPLIED
    }

    /** Whether changes of this kind read the query: those that have a caller. */
    static boolean isFor(Operation operation) {
        return operation.changes() && !operation.open();
    }

    /** Reads the query of a change that is about to be made; refuses with 422 what is wrong there. */
    Asked asked(HttpRequest<?> request, Caller caller) {
        return new Asked(caller, atMost(request));
    }

    /**
     * The same for a change of something that may not be there.
     *
     * @param known refuses with 404, which comes before 422
     */
    Asked asked(HttpRequest<?> request, Caller caller, Runnable known) {
        try {
            return asked(request, caller);
        } catch (Refusal refusal) {
            known.run();
            throw refusal;
        }
    }

    /** Null for no wait. */
    private static @Nullable Duration atMost(HttpRequest<?> request) {
        Query query = BodyBinder.query(request.getParameters()::getAll, Query.class);
        if (query.until() == null) {
            return null;
        }
        Duration atMost = duration(query.timeout() == null ? "5s" : query.timeout());
        if (atMost.compareTo(LONGEST) > 0) {
            throw Refusal.invalid("timeout", "longer than 30s (expected: at most 30s)");
        }
        return atMost;
    }

    private static Duration duration(String text) {
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                : Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
    }

    /** A change with a right query. */
    final class Asked {

        private final Caller caller;
        private final @Nullable Duration atMost;

        private Asked(Caller caller, @Nullable Duration atMost) {
            this.caller = caller;
            this.atMost = atMost;
        }

        /** Answers with the number of the change, and waits before where that was asked for. */
        <T> Answer answer(Written<T> written, Function<T, Answer> view) {
            return answer(written, view, any -> Outcome.NOTHING_ELSE);
        }

        /**
         * The same.
         *
         * @param outcome what it brings about besides what proxies go by
         */
        <T> Answer answer(Written<T> written, Function<T, Answer> view, Function<T, Outcome> outcome) {
            // What was so before has been so since the last change.
            long position = written.position() > 0 ? written.position() : changes.last();
            Answer numbered = view.apply(written.value()).revision(position);
            if (atMost == null) {
                return numbered;
            }
            boolean applied =
                    fanout.awaitApplied(caller.organizationId(), position, outcome.apply(written.value()), atMost);
            return numbered.with(Headers.APPLIED, String.valueOf(applied));
        }
    }
}

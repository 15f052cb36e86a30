package dev.sallyport.control.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sallyport.control.model.FieldProblem;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The one shape of errors. */
record ErrorBody(Problem error) {

    /** What was wrong. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Problem(
            @Limits(description = "Stable; see each operation.")
            String code,

            @Limits(description = "For people.") String message,

            @Limits(description = "With validation_error: each field that is wrong.") @Nullable List<FieldProblem> fields) {}

    static Answer of(Refusal refusal) {
        boolean fields = refusal.status() == 422 && !refusal.fields().isEmpty();
        Answer answer = Answer.of(
                refusal.status(),
                new ErrorBody(new Problem(refusal.code(), refusal.text(), fields ? refusal.fields() : null)));
        if (refusal.status() == 401) {
            answer = answer.with(Headers.WWW_AUTHENTICATE, "Bearer");
        }
        String retryAfter = refusal.retryAfter();
        return retryAfter == null ? answer : answer.with(Headers.RETRY_AFTER, retryAfter);
    }
}

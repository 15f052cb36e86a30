package dev.sallyport.control.model;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error. The message is shown to the client and holds no secret. */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient List<FieldProblem> fields;
    private final transient @Nullable Duration retryAfter;

    private Refusal(int status, String code, String message, List<FieldProblem> fields, @Nullable Duration retryAfter) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.fields = List.copyOf(fields);
        this.retryAfter = retryAfter;
    }

    /** Any status with any code. */
    public static Refusal of(int status, String code, String message) {
        return new Refusal(status, code, message, List.of(), null);
    }

    /** 400: a body that is no JSON, a malformed target. */
    public static Refusal badRequest(String message) {
        return of(400, "bad_request", message);
    }

    /** 401. */
    public static Refusal unauthorized(String message) {
        return of(401, "unauthorized", message);
    }

    /** 404 with the code of the resource. */
    public static Refusal notFound(String code, String message) {
        return of(404, code, message);
    }

    /** 409. */
    public static Refusal conflict(String code, String message) {
        return of(409, code, message);
    }

    /** 409 that passes by itself. */
    public static Refusal conflict(String code, String message, Duration retryAfter) {
        return new Refusal(409, code, message, List.of(), retryAfter);
    }

    /** 409: the organization has as much as it may have. */
    public static Refusal quotaExceeded(String message) {
        return conflict("quota_exceeded", message);
    }

    /** 422 with all problems; at least one. */
    public static Refusal invalid(List<FieldProblem> problems) {
        FieldProblem first = problems.getFirst();
        String message = problems.size() == 1
                ? (first.field().isEmpty() ? "" : first.field() + ": ") + first.message()
                : problems.size() + " fields are wrong: "
                        + problems.stream()
                                .map(FieldProblem::field)
                                .distinct()
                                .limit(20)
                                .collect(Collectors.joining(", "));
        return new Refusal(422, "validation_error", message, problems, null);
    }

    /** 422 for one field. */
    public static Refusal invalid(String field, String message) {
        return invalid(List.of(new FieldProblem(field, message)));
    }

    /**
     * 429.
     *
     * @param what there is too much of, in words
     */
    public static Refusal rateLimited(String what, Duration retryAfter) {
        return new Refusal(
                429, "rate_limited", "too many " + what + " (expected: fewer, later)", List.of(), retryAfter);
    }

    /** 503: more work than fits. */
    public static Refusal overloaded() {
        return new Refusal(
                503,
                "overloaded",
                "more requests than can be served (expected: later)",
                List.of(),
                Duration.ofSeconds(1));
    }

    /** 503: something of this installation is not there at the moment. */
    public static Refusal unavailable(String code, String message) {
        return new Refusal(503, code, message, List.of(), Duration.ofSeconds(5));
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The stable code. */
    public String code() {
        return code;
    }

    /** The text for the client. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** What is wrong with which field; empty unless the status is 422. */
    public List<FieldProblem> fields() {
        return fields;
    }

    /** When to come again, as the value of {@code Retry-After} (RFC 9110, 10.2.3): whole seconds, at least 1; or null. */
    public @Nullable String retryAfter() {
        return retryAfter == null ? null : String.valueOf(Math.max(1, retryAfter.toSeconds()));
    }
}

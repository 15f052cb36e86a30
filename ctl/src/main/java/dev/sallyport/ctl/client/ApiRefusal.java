package dev.sallyport.ctl.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An error that the control plane answered (docs/spec/resource-api.md, section "Errors"). */
public final class ApiRefusal extends Problem {

    private final int status;
    private final String code;
    private final @Nullable Duration retryAfter;

    private ApiRefusal(int exitCode, Fault fault, String message, List<String> fields) {
        super(exitCode, message, fields);
        this.status = fault.status();
        this.code = fault.code();
        this.retryAfter = fault.retryAfter();
    }

    private record Fault(int status, String code, @Nullable Duration retryAfter) {}

    /** Of the object {@code error} of an answer, which names each wrong field if the body was not valid. */
    static ApiRefusal of(String server, int status, JsonNode error, @Nullable Duration retryAfter) {
        Fault fault = new Fault(status, error.path("code").asText(), retryAfter);
        String message = error.path("message").asText();
        if (status == 401) {
            return new ApiRefusal(
                    ExitCode.NOT_SIGNED_IN,
                    fault,
                    "not signed in at " + server + ": " + message + "; sign in with sallyport ctl login --server "
                            + server,
                    List.of());
        }
        List<String> fields = new ArrayList<>();
        for (JsonNode field : error.path("fields")) {
            String name = field.path("field").asText();
            fields.add(
                    (name.isEmpty() ? "" : name + ": ") + field.path("message").asText());
        }
        String head = "refused with " + status + " " + fault.code() + ": ";
        String rest = fields.isEmpty()
                ? message
                : fields.size() + (fields.size() == 1 ? " field is wrong" : " fields are wrong");
        return new ApiRefusal(ExitCode.REFUSED, fault, head + rest, fields);
    }

    /** What was looked for by its name is not there. */
    public static ApiRefusal notFound(String message) {
        return new ApiRefusal(ExitCode.REFUSED, new Fault(404, "not_found", null), message, List.of());
    }

    /** The status of the answer. */
    public int status() {
        return status;
    }

    /** The stable code of the error, such as {@code validation_error}. */
    public String code() {
        return code;
    }

    /** When to come again (RFC 9110, 10.2.3), or null. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}

package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblem;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request of a workload, of which the account wants to know what would become of it. */
public record ExplainDraft(
        @Limits(min = 1, max = 8192, description = "Absolute; for CONNECT host:port is enough.")
        String url,

        @Limits(min = 1, max = 64, description = "Such as GET; CONNECT for the opening of a tunnel.")
        String method,

        @Limits(
                description =
                        "Header fields: an object with a string, or a list of strings, for each name. There is no body.")
        @Nullable JsonNode headers,

        @Limits(max = 64, description = "The sandbox that would send it.") @Nullable String vmId)
        implements Checked {

    private static final int MOST_HEADERS = 100;

    @Override
    public void check(FieldProblems problems) {
        if (headers == null) {
            return;
        }
        if (!headers.isObject()) {
            problems.add("headers", "of another type (expected: an object)");
        } else if (headers.size() > MOST_HEADERS) {
            problems.add("headers", headers.size() + " names (expected: at most " + MOST_HEADERS + ")");
        } else {
            for (Map.Entry<String, JsonNode> line : headers.properties()) {
                if (!isText(line.getValue())) {
                    problems.add("headers", "a value of another type (expected: strings, or lists of strings)");
                    return;
                }
            }
        }
    }

    private static boolean isText(JsonNode value) {
        if (!value.isArray()) {
            return value.isTextual();
        }
        for (JsonNode element : value) {
            if (!element.isTextual()) {
                return false;
            }
        }
        return true;
    }

    /** The request; refuses with 422 what is none. */
    ExplainRequest request() {
        ExplainRequest.Builder request = ExplainRequest.builder(method, url);
        if (headers != null) {
            headers.properties().forEach(line -> {
                if (line.getValue().isTextual()) {
                    add(request, line.getKey(), line.getValue());
                } else {
                    line.getValue().forEach(value -> add(request, line.getKey(), value));
                }
            });
        }
        try {
            return request.build();
        } catch (InvalidRequestException e) {
            throw Refusal.invalid(e.problems().stream()
                    .map(problem -> new FieldProblem(problem.field(), problem.message()))
                    .toList());
        }
    }

    /** Text beyond ASCII is sent in UTF-8, as clients do. */
    private static void add(ExplainRequest.Builder request, String name, JsonNode value) {
        byte[] sent = value.textValue().getBytes(StandardCharsets.UTF_8);
        request.header(name, new String(sent, StandardCharsets.ISO_8859_1));
    }

    /** Without the headers, which may hold a secret. */
    @Override
    public String toString() {
        return "ExplainDraft[" + method + " " + url + "]";
    }
}

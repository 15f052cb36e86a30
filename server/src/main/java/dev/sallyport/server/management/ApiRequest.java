package dev.sallyport.server.management;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request that the key has opened.
 *
 * @param query the decoded parameters, in order
 * @param body complete; empty for none
 */
public record ApiRequest(String method, String path, Map<String, List<String>> query, byte[] body) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The body as JSON.
     *
     * @throws ApiException 400 when it is none
     */
    public JsonNode json() throws ApiException {
        try {
            JsonNode read = JSON.readTree(body);
            if (read != null && !read.isMissingNode()) {
                return read;
            }
        } catch (IOException e) {
            throw new ApiException(400, "bad_request", "the body is not JSON").because(e);
        }
        throw new ApiException(400, "bad_request", "the body is empty (expected: JSON)");
    }

    /**
     * The value of a parameter, or null.
     *
     * @throws ApiException 422 when it is given twice
     */
    @Nullable String parameter(String name) throws ApiException {
        List<String> values = query.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw ApiException.invalid(name, "given " + values.size() + " times (expected: once)");
        }
        return values.isEmpty() ? null : values.getFirst();
    }

    /**
     * Refuses parameters with other names: a mistyped filter would otherwise filter nothing.
     *
     * @throws ApiException 422 when there is one
     */
    void allowParameters(Set<String> names) throws ApiException {
        for (String name : query.keySet()) {
            if (!names.contains(name)) {
                throw ApiException.invalid(
                        name,
                        "unknown parameter (expected: "
                                + String.join(", ", names.stream().sorted().toList()) + ")");
            }
        }
    }
}

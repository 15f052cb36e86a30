package dev.sallyport.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one request.
 *
 * @param forwarded the request as it reached the upstream, or null when it did not
 * @param status the client's status; 0 when it got no head. If only the host is visible, the status in the audit
 *     record: the client gets a TLS alert
 * @param headers the header lines that the client got
 * @param content the bytes that the client got
 * @param trailers the trailer fields that the client got
 * @param complete false when the response was broken off
 * @param audit the audit record as its JSON says, numbers as numbers, objects as maps
 * @param auditLine the same as it was written
 */
public record ExchangeResult(
        @Nullable ForwardedRequest forwarded,
        int status,
        HeaderLines headers,
        byte[] content,
        HeaderLines trailers,
        boolean complete,
        Map<String, Object> audit,
        String auditLine) {

    /** The client's body as text in UTF-8. */
    public String body() {
        return new String(content, StandardCharsets.UTF_8);
    }

    /** The request as it reached the upstream. */
    public ForwardedRequest sent() {
        if (forwarded == null) {
            throw new AssertionError("the request was not forwarded: " + status + " " + body());
        }
        return forwarded;
    }

    /** The code of the client's problem document; empty for none. */
    public String code() {
        return Json.field(headers, body(), "code");
    }

    /** The annotations of a transform on the request; empty when it did not run or annotated nothing. */
    public Map<String, Object> annotations(String transform) {
        return annotations("request_transforms", transform);
    }

    /** The annotations of a transform on the response. */
    public Map<String, Object> responseAnnotations(String transform) {
        return annotations("response_transforms", transform);
    }

    @SuppressWarnings("unchecked") // objects have string keys
    private Map<String, Object> annotations(String list, String transform) {
        if (audit.get(list) instanceof List<?> entries) {
            for (Object entry : entries) {
                if (entry instanceof Map<?, ?> map
                        && transform.equals(map.get("name"))
                        && map.get("annotations") instanceof Map<?, ?> annotations) {
                    return (Map<String, Object>) annotations;
                }
            }
        }
        return Map.of();
    }

    @Override
    public String toString() {
        return "ExchangeResult[" + status + ", forwarded " + forwarded + ", audit " + auditLine + "]";
    }
}

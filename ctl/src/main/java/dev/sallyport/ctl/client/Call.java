package dev.sallyport.ctl.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of the API. Immutable.
 *
 * @param path begins with {@code /v1}; its segments are encoded
 * @param patience how much longer than usual the answer may take
 */
public record Call(
        String method,
        String path,
        Map<String, String> query,
        Map<String, String> headers,
        @Nullable JsonNode body,
        Duration patience) {

    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    public Call {
        query = Map.copyOf(query);
        headers = Map.copyOf(headers);
    }

    private static Call of(String method, String path, @Nullable JsonNode body) {
        return new Call(method, path, Map.of(), Map.of(), body, Duration.ZERO);
    }

    /** A GET. */
    public static Call get(String path) {
        return of("GET", path, null);
    }

    /** A POST; null for no body. */
    public static Call post(String path, @Nullable JsonNode body) {
        return of("POST", path, body);
    }

    /** A PUT. */
    public static Call put(String path, JsonNode body) {
        return of("PUT", path, body);
    }

    /** A PATCH. */
    public static Call patch(String path, JsonNode body) {
        return of("PATCH", path, body);
    }

    /** A DELETE. */
    public static Call delete(String path) {
        return of("DELETE", path, null);
    }

    /** A path with one more segment. */
    public static String below(String path, String segment) {
        return path + "/" + encode(segment);
    }

    /** With a parameter; without it if the value is null. */
    public Call query(String name, @Nullable String value) {
        return value == null ? this : new Call(method, path, with(query, name, value), headers, body, patience);
    }

    /** With a header field; without it if the value is null. */
    public Call header(String name, @Nullable String value) {
        return value == null ? this : new Call(method, path, query, with(headers, name, value), body, patience);
    }

    /** With a key by which the server recognises a repetition. */
    public Call idempotencyKey(String key) {
        return header(IDEMPOTENCY_KEY, key);
    }

    /** With more time for the answer. */
    public Call patience(Duration more) {
        return new Call(method, path, query, headers, body, more);
    }

    /** Whether it does no harm twice, as far as HTTP and the API say. */
    boolean isRepeatable() {
        return method.equals("GET") || headers.containsKey(IDEMPOTENCY_KEY);
    }

    /** Path and query of the target. */
    String target() {
        StringBuilder target = new StringBuilder(path);
        query.forEach((name, value) -> target.append(target.indexOf("?") < 0 ? '?' : '&')
                .append(encode(name))
                .append('=')
                .append(encode(value)));
        return target.toString();
    }

    private static Map<String, String> with(Map<String, String> map, String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(map);
        more.put(name, value);
        return more;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

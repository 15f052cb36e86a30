package dev.sallyport.testkit;

import java.nio.charset.StandardCharsets;

/**
 * A request as it reached the upstream.
 *
 * @param target path and query, as on the wire
 * @param headers the lines in the order and casing of the wire
 * @param content the bytes of the body, content coding included
 * @param complete false when the message was broken off
 */
public record ForwardedRequest(
        String method, String target, HeaderLines headers, byte[] content, HeaderLines trailers, boolean complete) {

    /** The value of the first header line of this name; empty when there is none. */
    public String header(String name) {
        String value = headers.first(name);
        return value == null ? "" : value;
    }

    /** The body as text in UTF-8. */
    public String body() {
        return new String(content, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return method + " " + target + " " + headers + " (" + content.length + " bytes)";
    }
}

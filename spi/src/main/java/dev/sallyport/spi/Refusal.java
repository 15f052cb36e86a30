package dev.sallyport.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of a refusal, of a request or a response.
 *
 * @param status 400 to 599
 * @param code stable, lower snake case
 * @param detail a sentence for the client
 * @param position the part of the transform's configuration that decided, such as {@code rules[2]}, or null
 * @param response what the client gets instead of the problem document, or null
 */
record Refusal(
        int status,
        String code,
        String detail,
        @Nullable String position,
        @Nullable StubResponse response) {

    Refusal {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("status: " + status + " (expected: 400 to 599)");
        }
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(detail, "detail");
    }

    static Refusal of(int status, String code, String detail) {
        return new Refusal(status, code, detail, null, null);
    }

    Refusal at(@Nullable String newPosition) {
        return new Refusal(status, code, detail, newPosition, response);
    }

    Refusal with(StubResponse newResponse) {
        return new Refusal(status, code, detail, position, Objects.requireNonNull(newResponse, "response"));
    }

    static String rule(int rule) {
        return "rules[" + rule + "]";
    }

    /** Without the detail, which may quote the request. */
    String shown(String type) {
        return type + "[" + status + " " + code + (position == null ? "" : " at " + position) + "]";
    }
}

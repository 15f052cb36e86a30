package dev.sallyport.toolkit.token;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parts of an issuer's refusal that may be shown: registered codes, and the time for which to back off. */
public final class IssuerErrors {

    /** RFC 6749, 4.1.2.1 and 5.2; RFC 8707, 2. */
    private static final Set<String> CODES = Set.of(
            "access_denied",
            "invalid_client",
            "invalid_grant",
            "invalid_request",
            "invalid_scope",
            "invalid_target",
            "server_error",
            "temporarily_unavailable",
            "unauthorized_client",
            "unsupported_grant_type");

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;

    private IssuerErrors() {}

    /** Whether the issuer's {@code error} is a registered code. */
    public static boolean isRegistered(String code) {
        return CODES.contains(code);
    }

    /**
     * The failure for an answer.
     *
     * @param code its {@code error}; shown only when it is registered
     * @param retryAfter its {@code Retry-After} (RFC 9110, 10.2.3: seconds, or a date), or null; used with 429 and 503
     */
    public static MintException refusal(int status, String code, @Nullable String retryAfter, Instant now) {
        boolean waits = status == TOO_MANY_REQUESTS || status == SERVICE_UNAVAILABLE;
        return new MintException(
                isRegistered(code) ? code : "token_endpoint_http_" + status,
                waits && retryAfter != null ? delay(retryAfter, now) : null);
    }

    private static @Nullable Duration delay(String retryAfter, Instant now) {
        if (retryAfter.matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(retryAfter));
        }
        try {
            Instant until = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(retryAfter));
            return until.isBefore(now) ? Duration.ZERO : Duration.between(now, until);
        } catch (DateTimeException e) {
            return null;
        }
    }
}

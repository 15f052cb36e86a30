package dev.sallyport.core.exchange;

/**
 * The reason for which the engine itself ends an exchange.
 *
 * @param status the response status
 * @param code stable, lower snake case
 * @param detail a sentence for the client; never a secret, never a configuration value
 * @param proxyStatus the error token of RFC 9209
 */
public record Refusal(int status, String code, String detail, String proxyStatus) {

    /** A request that cannot be understood in exactly one way (RFC 9112, 11). */
    public static Refusal badRequest(String detail) {
        return new Refusal(400, "bad_request", detail, "http_request_error");
    }

    /** A request that does not arrive in time (RFC 9110, 15.5.9). */
    public static Refusal timeout(String detail) {
        return new Refusal(408, "request_timeout", detail, "http_request_error");
    }

    /** Two names or ports that should be one (docs/spec/decisions.md, section 2). */
    public static Refusal misdirected(String detail) {
        return new Refusal(421, "misdirected_request", detail, "http_request_denied");
    }
}

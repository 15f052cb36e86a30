package dev.sallyport.core.upstream;

import java.util.Locale;
import java.util.Set;

/**
 * Why an exchange with an origin ended early.
 *
 * @param kind what happened
 * @param message for the audit record and the operator: what, where; never a secret
 * @param repeat which requests may be sent once more, as far as the origin is concerned
 */
public record UpstreamFailure(Kind kind, String message, Repeat repeat) {

    /** How far the request may have got, and so which requests do no harm when they are sent again. */
    public enum Repeat {
        /** The origin may have acted on the request, or trying again promises nothing: none. */
        NEVER,
        /** A connection that had served before closed before any byte of a response: idempotent ones. */
        STALE_CONNECTION,
        /** The origin provably did not act (nothing was sent, REFUSED_STREAM, beyond the last stream of a GOAWAY): all. */
        UNPROCESSED,
        /** The origin will not speak HTTP/1.1: none in this form; one that asks for an upgrade may do so over HTTP/2. */
        OVER_HTTP2;

        /** Methods that may be repeated when the origin may have acted on them (RFC 9110, 9.2.2). */
        private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

        /** Whether a request with this method may be sent again. */
        public boolean allows(String method) {
            return switch (this) {
                case NEVER, OVER_HTTP2 -> false;
                case STALE_CONNECTION -> IDEMPOTENT.contains(method);
                case UNPROCESSED -> true;
            };
        }
    }

    /** What happened. */
    public enum Kind {
        /** Name not found, refused, unreachable, dial timed out, closed before a response. */
        UPSTREAM_UNREACHABLE(502, "connection_refused"),
        /** The origin broke HTTP. */
        UPSTREAM_PROTOCOL_ERROR(502, "http_protocol_error"),
        /** The handshake failed or the certificate is not trusted. */
        UPSTREAM_TLS_ERROR(502, "tls_certificate_error"),
        /** The dial guard refused the address. */
        UPSTREAM_DENIED(502, "destination_ip_prohibited"),
        /** A credential would leave without TLS, and not for an address nearby. */
        PLAINTEXT_CREDENTIAL(403, "http_request_denied"),
        /** No response head in time. */
        UPSTREAM_TIMEOUT(504, "http_response_timeout"),
        /** The origin accepted none of the request body in time. */
        UPSTREAM_STALLED(504, "http_response_timeout", "upstream_timeout"),
        /** Too many connections or streams. */
        OVERLOADED(503, "connection_limit_reached");

        private final int status;
        private final String proxyStatus;
        private final String code;

        Kind(int status, String proxyStatus) {
            this(status, proxyStatus, "");
        }

        Kind(int status, String proxyStatus, String code) {
            this.status = status;
            this.proxyStatus = proxyStatus;
            this.code = code.isEmpty() ? name().toLowerCase(Locale.ROOT) : code;
        }

        /** The code of the refusal. */
        public String code() {
            return code;
        }

        /** The client's response. */
        public int status() {
            return status;
        }

        /** The error token of RFC 9209. */
        public String proxyStatus() {
            return proxyStatus;
        }
    }
}

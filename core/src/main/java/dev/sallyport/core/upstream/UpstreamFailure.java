package dev.sallyport.core.upstream;

import java.util.Locale;
import java.util.Set;

/**
 * The reason why an exchange with an origin ended early.
 *
 * @param kind the class of the failure
 * @param message what failed and where, for audit records and the operator; never a secret
 * @param repeat which requests may be sent again
 */
public record UpstreamFailure(Kind kind, String message, Repeat repeat) {

    /** Which requests may be sent again, given how far this one got. */
    public enum Repeat {
        /** None: the origin may have acted on the request, or a repetition would fail again. */
        NEVER,
        /** Idempotent ones: a reused connection closed before any byte of a response (RFC 9112, 9.3.1). */
        STALE_CONNECTION,
        /**
         * All: the origin did not process the request (nothing was sent, REFUSED_STREAM, or beyond the last stream of a
         * GOAWAY; RFC 9113, 8.7).
         */
        UNPROCESSED,
        /** An upgrade, over HTTP/2: the origin does not speak HTTP/1.1. */
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
        /** The name was not found, the connection was refused or timed out, or it closed before a response. */
        UPSTREAM_UNREACHABLE(502, "connection_refused"),
        /** The origin violated HTTP. */
        UPSTREAM_PROTOCOL_ERROR(502, "http_protocol_error"),
        /** The TLS handshake failed, or the certificate is not trusted. */
        UPSTREAM_TLS_ERROR(502, "tls_certificate_error"),
        /** The origin asked for a certificate in the handshake, got none, and ended the connection. */
        UPSTREAM_WANTS_CLIENT_CERTIFICATE(502, "tls_certificate_error"),
        /** The dial guard refused the address. */
        UPSTREAM_DENIED(502, "destination_ip_prohibited"),
        /** A parent proxy did not open the connection or did not forward the request. */
        UPSTREAM_PROXY_FAILED(502, "destination_unavailable"),
        /** A parent proxy refuses to connect to this port without TLS. */
        UPSTREAM_PROXY_REFUSED(502, "destination_unavailable", "upstream_proxy_failed"),
        /** A credential would be sent without TLS to an address that is not near. */
        PLAINTEXT_CREDENTIAL(403, "http_request_denied"),
        /** No response head arrived in time. */
        UPSTREAM_TIMEOUT(504, "http_response_timeout"),
        /** The origin accepted none of the request body in time. */
        UPSTREAM_STALLED(504, "http_response_timeout", "upstream_timeout"),
        /** A limit on connections or streams was reached. */
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

        /** The status of the response to the client. */
        public int status() {
            return status;
        }

        /** The error token of RFC 9209. */
        public String proxyStatus() {
            return proxyStatus;
        }
    }
}

package dev.sallyport.core.upstream;

/**
 * Why an exchange with an origin ended early.
 *
 * @param kind what happened
 * @param message for the audit record and the operator: what, where; never a secret
 * @param unprocessed whether the origin provably did not act on the request, or the connection was a pooled one that
 *     closed before any byte of a response
 */
public record UpstreamFailure(Kind kind, String message, boolean unprocessed) {

    /** What happened; the names are the codes that clients see (decisions, section 4). */
    public enum Kind {
        /** Name not found, refused, unreachable, dial timed out, closed before a response. */
        UPSTREAM_UNREACHABLE(502, "connection_refused"),
        /** The origin broke HTTP. */
        UPSTREAM_PROTOCOL_ERROR(502, "http_protocol_error"),
        /** The handshake failed or the certificate is not trusted. */
        UPSTREAM_TLS_ERROR(502, "tls_certificate_error"),
        /** The dial guard refused the address. */
        UPSTREAM_DENIED(502, "destination_ip_prohibited"),
        /** No response head in time. */
        UPSTREAM_TIMEOUT(504, "http_response_timeout"),
        /** Too many connections or streams. */
        OVERLOADED(503, "connection_limit_reached");

        private final int status;
        private final String proxyStatus;

        Kind(int status, String proxyStatus) {
            this.status = status;
            this.proxyStatus = proxyStatus;
        }

        /** What the client gets. */
        public int status() {
            return status;
        }

        /** The error token of RFC 9209. */
        public String proxyStatus() {
            return proxyStatus;
        }
    }
}

package dev.sallyport.core.net.connection;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Refusal;

/**
 * How far a tunnel or TLS connection got before its first request. If it ends there, this reports the reason once. On
 * the connection's loop.
 */
public final class ConnectionProgress {

    /** The stage that the connection has reached. */
    public enum Phase {
        /** A tunnel has been opened, and nothing has come through it. */
        OPEN("no_request", "the tunnel was closed before a request came through it"),
        /** Some bytes have arrived; the protocol is not known yet. */
        BEGUN("unknown_protocol", "the tunnel was closed before it could be told what is spoken in it"),
        /** A ClientHello has begun. */
        HELLO("malformed_hello", "the client closed the connection in the middle of its ClientHello"),
        /** The ClientHello is complete, and its certificate is being made. */
        HELD("no_request", "the client closed the connection before its certificate was made"),
        /** The client has been shown the proxy's certificate. */
        HANDSHAKE(
                "client_tls_failed",
                "the client closed the connection during the TLS handshake, without an alert; clients do so that do "
                        + "not trust the proxy's certificate: see docs/trust.md"),
        /** The handshake is complete. */
        SECURE(
                "no_request",
                "the connection was closed after the TLS handshake, before a request; some clients check the "
                        + "certificate only then, and leave when they do not trust it: see docs/trust.md");

        private final String code;
        private final String detail;

        Phase(String code, String detail) {
            this.code = code;
            this.detail = detail;
        }

        /** The ending of a connection that was closed without an error. */
        public EarlyTermination silence() {
            return switch (this) {
                case OPEN, HELD, SECURE -> EarlyTermination.left(code, detail);
                case BEGUN, HELLO -> EarlyTermination.refused(ClientConnection.unreadable(code, detail));
                case HANDSHAKE -> EarlyTermination.distrusted(detail, "");
            };
        }
    }

    private static final EarlyTermination SHUTDOWN = EarlyTermination.refused(
            new Refusal(0, "shutdown", "the proxy ended before a request came through the tunnel", ""));

    private Phase stage = Phase.OPEN;
    private boolean over;

    /** Records that the connection has reached this stage. */
    void reached(Phase next) {
        stage = next;
    }

    /** Marks the ending as reported, by a request or a record. Returns true on the first call only. */
    boolean settle() {
        boolean first = !over;
        over = true;
        return first;
    }

    /**
     * The ending to report for a connection that ends now.
     *
     * @param draining whether the proxy is shutting down, and closes idle connections
     */
    EarlyTermination silence(boolean draining) {
        EarlyTermination silence = stage.silence();
        return draining && silence.action() == AuditRecord.Action.CLIENT_CANCEL ? SHUTDOWN : silence;
    }
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.pipeline.BodyFailureStatus;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Decision;

/**
 * The reason for which the engine itself ends an exchange.
 *
 * @param status the response status
 * @param code stable, lower snake case
 * @param detail a sentence for the client; never a secret, never a configuration value
 * @param proxyStatus the error token of RFC 9209
 */
public record Refusal(int status, String code, String detail, String proxyStatus) {

    /** A transform refuses. */
    public static Refusal by(Decision.Reject reject) {
        return new Refusal(reject.status(), reject.code(), reject.detail(), "http_request_denied");
    }

    /** A transform failed, or could not be given what it asked for. */
    public static Refusal failed(int status, String code, String detail) {
        return new Refusal(status, code, detail, isRejection(status) ? "http_request_error" : "proxy_internal_error");
    }

    /** A tunnel may not open. */
    public static Refusal of(Generation.TunnelRefusal refused) {
        return new Refusal(refused.status(), refused.code(), refused.detail(), "http_request_denied");
    }

    /** The body of a request failed, and no transform has refused it. */
    public static Refusal ofRequestBody(BodyFailure failure) {
        BodyFailureStatus fault = BodyFailureStatus.ofRequest(failure);
        return failed(fault.status(), fault.code(), failure.detail());
    }

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

    /** The same, with the reason at the end of its sentence. */
    public Refusal explained(String why) {
        return new Refusal(status, code, detail.substring(0, detail.length() - 1) + ": " + why + ".", proxyStatus);
    }

    /**
     * What an audit record says of it.
     *
     * @param why empty when the code says it all
     */
    public String error(String why) {
        return why.isEmpty() ? code : code + ": " + why;
    }

    /** Whether the request is at fault or policy denies it; otherwise the proxy, a transform or the origin failed. */
    public static boolean isRejection(int status) {
        return status < 500;
    }

    /** What a client is told that speaks TLS with the origin; there is no other way. */
    public TlsAlert alert() {
        return isRejection(status) ? TlsAlert.ACCESS_DENIED : TlsAlert.INTERNAL_ERROR;
    }

    /** The action of the audit record. */
    public AuditRecord.Action action() {
        return isRejection(status) ? AuditRecord.Action.REJECT : AuditRecord.Action.ERROR;
    }
}

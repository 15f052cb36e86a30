package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord.Action;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * A connection or tunnel that ended before an exchange began, with the reason. Never {@link Action#ALLOW}: nothing has
 * succeeded.
 *
 * @param action the cause: policy or protocol ({@code REJECT}), a failure ({@code ERROR}), or the client
 * @param refusal code and detail for the record; the status is 0 when the client was sent none
 * @param head the request, as far as it was read
 * @param destination the intended destination, as far as it is known
 * @param alert the TLS alert that ended it, such as {@code unknown_ca}, or empty
 * @param distrust whether the client probably does not trust the proxy's certificate
 */
public record EarlyTermination(
        Action action,
        Refusal refusal,
        @Nullable RequestMessage head,
        @Nullable Destination destination,
        String alert,
        boolean distrust) {

    /** Rejects the action {@code ALLOW}: no early end is a success. */
    public EarlyTermination {
        if (action == Action.ALLOW || action == Action.STUB) {
            throw new IllegalArgumentException("action: " + action + " (expected: REJECT, ERROR or CLIENT_CANCEL)");
        }
    }

    /** The proxy refused to continue. */
    public static EarlyTermination refused(Refusal refusal) {
        return refused(refusal, null);
    }

    /** The same, of a request to this destination. */
    public static EarlyTermination refused(Refusal refusal, @Nullable Destination destination) {
        return new EarlyTermination(Action.REJECT, refusal, null, destination, "", false);
    }

    /** The same, of a connection that was meant for this destination, where no other is known. */
    public EarlyTermination of(@Nullable Destination meant) {
        return destination != null || meant == null
                ? this
                : new EarlyTermination(action, refusal, head, meant, alert, distrust);
    }

    /** The proxy was unable to continue. */
    public static EarlyTermination failed(Refusal refusal) {
        return new EarlyTermination(Action.ERROR, refusal, null, null, "", false);
    }

    /** The client left. */
    public static EarlyTermination left(String code, String detail) {
        return new EarlyTermination(Action.CLIENT_CANCEL, new Refusal(0, code, detail, ""), null, null, "", false);
    }

    /** The client is gone, and the request was still waiting for its turn. */
    public static EarlyTermination gone(
            DisconnectReason why, @Nullable RequestMessage head, @Nullable Destination destination) {
        return new EarlyTermination(why.action(), why.beforeItBegan(), outline(head), destination, "", false);
    }

    /** Without header fields: the record does not need them, and may have to wait. */
    private static @Nullable RequestMessage outline(@Nullable RequestMessage head) {
        return head == null
                ? null
                : new RequestMessage(head.method(), head.path(), head.queryOrNull(), new HeaderBlock(1), 0);
    }

    /**
     * The TLS handshake with the client failed.
     *
     * @param alert the client's, or empty
     */
    public static EarlyTermination tlsFailed(String detail, String alert) {
        return tlsFailed(detail, alert, false);
    }

    /**
     * The same, for a client that does not trust the proxy's certificate, or left in the way such clients do.
     *
     * @param alert the client's, or empty when it sent none
     */
    public static EarlyTermination distrusted(String detail, String alert) {
        return tlsFailed(detail, alert, true);
    }

    private static EarlyTermination tlsFailed(String detail, String alert, boolean distrust) {
        Refusal why = new Refusal(0, "client_tls_failed", detail, "");
        return new EarlyTermination(Action.ERROR, why, null, null, alert, distrust);
    }
}

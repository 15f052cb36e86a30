package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord.Action;

/**
 * Why the client is gone, and who caused it. Every case looks like a closed connection; the audit record tells them
 * apart.
 */
public enum DisconnectReason {
    /** The client closed its connection, or gave up its stream. */
    LEFT(Action.CLIENT_CANCEL, "", ""),
    /** The client did not read its response. */
    UNREAD(Action.CLIENT_CANCEL, "client_stalled", "the client did not read its response in time"),
    /** The client had ended its half, and nothing showed that it was still there. */
    HALF_CLOSED(
            Action.CLIENT_CANCEL,
            "half_closed_timeout",
            "the client had ended its half, and the origin sent nothing in time"),
    /** The client broke the protocol of its connection, or of its stream. */
    BROKE_PROTOCOL(Action.CLIENT_CANCEL, "protocol_error", "the client broke the protocol"),
    /** The drain time of a shutdown was over. */
    CUT_OFF(Action.ERROR, "shutdown", "cut off by the end of the proxy"),
    /** A reload refuses the target of the tunnel. */
    POLICY_CHANGED(Action.REJECT, "policy_changed", "a reload refuses the target of the tunnel"),
    /** A fault in the proxy closed the connection. */
    FAULT(Action.ERROR, "internal_error", "a fault of the proxy closed the connection");

    private final Action action;
    private final String code;
    private final String detail;

    DisconnectReason(Action action, String code, String detail) {
        this.action = action;
        this.code = code;
        this.detail = detail;
    }

    /** Whether the proxy closed the connection although the client was still there. */
    boolean isForced() {
        return this == CUT_OFF || this == POLICY_CHANGED;
    }

    /** The action in the record. */
    Action action() {
        return action;
    }

    /** The error in the record; empty if the action says it all. */
    String error() {
        return code.isEmpty() ? "" : code + ": " + detail;
    }

    /** The error for a request that had not begun; never empty. */
    Refusal beforeItBegan() {
        return code.isEmpty()
                ? new Refusal(0, "client_left", "the client left before its request had begun", "")
                : new Refusal(0, code, detail, "");
    }
}

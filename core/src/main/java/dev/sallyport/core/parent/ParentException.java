package dev.sallyport.core.parent;

/** A parent did not open a connection. The message is fit for audit records. */
public final class ParentException extends Exception {

    private static final long serialVersionUID = 1;

    /** The class of the failure. */
    public enum Why {
        /** The parent requires credentials, or rejects these. */
        LOGIN,
        /** The parent refuses the connection. */
        REFUSED,
        /** The parent could not reach the address; it may reach another. */
        UNREACHABLE,
        /** The parent violated the protocol, or closed the connection. */
        BROKEN
    }

    private final Why why;

    ParentException(Why why, String message) {
        super(message, null, false, false);
        this.why = why;
    }

    /** The parent closed the connection before it answered. */
    public static ParentException closed() {
        return new ParentException(Why.BROKEN, "closed the connection before it answered");
    }

    /** The class of the failure. */
    public Why why() {
        return why;
    }

    /** The message. */
    public String message() {
        return String.valueOf(getMessage());
    }
}

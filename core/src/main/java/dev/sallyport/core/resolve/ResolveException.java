package dev.sallyport.core.resolve;

/**
 * A name has no address, or it could not be resolved. The message is fit for audit records; there is no stack trace.
 */
public final class ResolveException extends Exception {

    /** What happened; if the two address families differ, the kind that stands first here counts. */
    public enum Kind {
        /** The name does not exist (NXDOMAIN). */
        NOT_FOUND,
        /** The resolver could not answer (SERVFAIL), or could not be queried. */
        FAILED,
        /** No answer in time. */
        TIMEOUT,
        /** The name exists, but has no address, or the resolver refused to give one. */
        NO_ADDRESS
    }

    private final Kind kind;

    ResolveException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    /** What happened. */
    public Kind kind() {
        return kind;
    }
}

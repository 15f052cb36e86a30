package dev.sallyport.core.resolve;

/** A name has no address, or none could be had. The message is fit for audit records; there is no stack trace. */
public final class ResolveException extends Exception {

    /** What happened; where the answers for the two address families differ, the one that stands first here counts. */
    public enum Kind {
        /** The name does not exist (NXDOMAIN). */
        NOT_FOUND,
        /** The resolver could not answer (SERVFAIL), or could not be asked. */
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

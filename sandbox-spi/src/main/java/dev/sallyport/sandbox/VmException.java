package dev.sallyport.sandbox;

/** A driver did not do what it was asked to. */
public final class VmException extends Exception {

    private final Reason reason;

    /** Why. */
    public enum Reason {
        /** There is no such VM. */
        NOT_FOUND,
        /**
         * A VM of this id exists and is made of something else, or its address is another VM's; a VM that is to be captured,
         * to run a task, or to be given variables, does not run.
         */
        CONFLICT,
        /** There is no such image. */
        IMAGE_NOT_FOUND,
        /** There is no such snapshot, or it is not sealed. */
        SNAPSHOT_NOT_FOUND,
        /** The request is one that no repetition makes right. */
        INVALID,
        /** The driver cannot run VMs here, or cannot be reached. */
        UNAVAILABLE,
        /** The host has no room left, or the driver is as busy as it may be. */
        EXHAUSTED,
        /** What it needs is being made ready, however long that takes. It can be asked for again; that is no failure. */
        PREPARING,
        /** Anything else: the message says what. */
        FAILED
    }

    /**
     * Of a reason.
     *
     * @param message what, where, and what was expected; for the operator, without values of secrets
     */
    public VmException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Of a reason, with what caused it. */
    public VmException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

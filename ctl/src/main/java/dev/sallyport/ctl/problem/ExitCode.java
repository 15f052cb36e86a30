package dev.sallyport.ctl.problem;

/** The exit codes of {@code sallyport ctl}; the first three mean what they mean for every command of the program. */
public final class ExitCode {

    /** Done. */
    public static final int DONE = 0;

    /** The control plane refused the request. */
    public static final int REFUSED = 1;

    /**
     * Wrong usage, or a local file that cannot be used. The control plane is as it was, except that {@code logout}
     * revokes a key before it finds that it cannot forget it.
     */
    public static final int USAGE = 2;

    /** The control plane was not reached, or what answered is not one. */
    public static final int UNREACHABLE = 3;

    /** There is no key, the key is not valid, or a sign-in was not approved. */
    public static final int NOT_SIGNED_IN = 4;

    /** With {@code --wait}: the change was made, but is not known to be applied. */
    public static final int NOT_APPLIED = 5;

    private ExitCode() {}
}

package dev.sallyport.ctl.problem;

import java.util.List;

/** Why a command ends without success. Its text is for people, and holds no key. */
public class Problem extends Exception {

    private final int exitCode;
    private final List<String> details;

    /**
     * A problem with details.
     *
     * @param exitCode one of {@link ExitCode}
     * @param message one line: what is wrong, where, and what was expected
     * @param details further lines
     */
    public Problem(int exitCode, String message, List<String> details) {
        super(message);
        this.exitCode = exitCode;
        this.details = List.copyOf(details);
    }

    /** A problem of one line. */
    public Problem(int exitCode, String message) {
        this(exitCode, message, List.of());
    }

    /** Wrong usage, or a local file that cannot be used. */
    public static Problem usage(String message) {
        return new Problem(ExitCode.USAGE, message);
    }

    /** One of {@link ExitCode}. */
    public final int exitCode() {
        return exitCode;
    }

    /** The first line. */
    public final String message() {
        return String.valueOf(getMessage());
    }

    /** The lines after it. */
    public final List<String> details() {
        return details;
    }
}

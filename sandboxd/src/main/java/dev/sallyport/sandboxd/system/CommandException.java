package dev.sallyport.sandboxd.system;

import java.util.regex.Pattern;

/** A program could not be run, ended with another code than 0, or took too long. */
public final class CommandException extends Exception {

    private static final int LARGEST_COMPLAINT = 2000;

    /** As waitpid(2) has it in a shell's form: so much more than the number of the signal. */
    private static final int BY_SIGNAL = 128;

    private static final int LAST_SIGNAL = 64;

    /** ENOSPC at the end of a line, where errors stand; names of files, which others choose, stand before it. */
    private static final Pattern NO_SPACE =
            Pattern.compile("[Nn]o space left on device[\"'\\\\.)]*[ \\t]*$", Pattern.MULTILINE);

    /** What is known of why. */
    private enum Kind {
        OTHER,
        NO_SPACE,
        TOO_LARGE,
        KILLED
    }

    private final Kind kind;

    private CommandException(String message, Kind kind) {
        super(message);
        this.kind = kind;
    }

    CommandException(String message) {
        this(message, Kind.OTHER);
    }

    CommandException(String message, Throwable cause) {
        super(message, cause);
        this.kind = Kind.OTHER;
    }

    /**
     * Of a program that ended with another code than 0.
     *
     * @param complaint what it wrote on standard error
     */
    public static CommandException ended(String program, int status, String complaint) {
        boolean killed = status > BY_SIGNAL && status <= BY_SIGNAL + LAST_SIGNAL;
        boolean noSpace = NO_SPACE.matcher(complaint).find();
        return new CommandException(
                program + " ended with " + status + ": " + shortened(complaint),
                killed ? Kind.KILLED : noSpace ? Kind.NO_SPACE : Kind.OTHER);
    }

    /** The same, for one more who waited for it. */
    public CommandException again() {
        CommandException copy = new CommandException(getMessage(), kind);
        copy.initCause(this);
        return copy;
    }

    static CommandException tooLarge(String message) {
        return new CommandException(message, Kind.TOO_LARGE);
    }

    private static String shortened(String text) {
        String one = text.strip().replace('\n', ' ');
        return one.length() <= LARGEST_COMPLAINT ? one : one.substring(one.length() - LARGEST_COMPLAINT);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Whether the program said that there is no room left. */
    public boolean noSpace() {
        return kind == Kind.NO_SPACE;
    }

    /** Whether the program was ended because a file became larger than it may, see {@link Command#writing}. */
    public boolean tooLarge() {
        return kind == Kind.TOO_LARGE;
    }

    /** Whether a signal ended the program, which says nothing of what it was doing: the machine had no memory left, or ends. */
    public boolean killed() {
        return kind == Kind.KILLED;
    }
}

package dev.sallyport.server.run;

/** The program cannot be run. */
final class NotRunException extends Exception {

    /** What a shell ends with when there is no such program. */
    static final int NOT_FOUND = 127;

    /** What a shell ends with when a program cannot be executed. */
    static final int NOT_EXECUTABLE = 126;

    private static final long serialVersionUID = 1L;

    private final int code;

    NotRunException(String program, int code) {
        super(program + (code == NOT_FOUND ? ": command not found" : ": cannot be executed"));
        this.code = code;
    }

    /** The exit code of a shell that was asked for it. */
    int code() {
        return code;
    }
}

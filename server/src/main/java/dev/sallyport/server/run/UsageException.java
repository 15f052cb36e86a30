package dev.sallyport.server.run;

/** The command line is wrong, or asks for what is not here: nothing has been started. */
final class UsageException extends Exception {

    private static final long serialVersionUID = 1L;

    UsageException(String problem, String expected) {
        super(problem + " (expected: " + expected + ")");
    }
}

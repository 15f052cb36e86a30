package dev.sallyport.core.tls;

/** A certificate or key cannot be used. The message is one sentence and never shows the content of the file. */
public final class TlsMaterialException extends Exception {

    private final String file;
    private final String problem;
    private final String expected;

    TlsMaterialException(String file, String problem) {
        this(file, problem, "");
    }

    TlsMaterialException(String file, String problem, String expected) {
        super(file + ": " + problem + (expected.isEmpty() ? "" : " (expected: " + expected + ")"));
        this.file = file;
        this.problem = problem;
        this.expected = expected;
    }

    /** The faulty file, as it was given. */
    public String file() {
        return file;
    }

    /** The problem. */
    public String problem() {
        return problem;
    }

    /** The expectation; empty when the problem implies it. */
    public String expected() {
        return expected;
    }
}

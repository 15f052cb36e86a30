package dev.sallyport.core.tls;

/** A certificate or key that cannot be used. The message is one sentence and never shows what the file holds. */
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

    /** The file at fault, as it was given. */
    public String file() {
        return file;
    }

    /** What is wrong with it. */
    public String problem() {
        return problem;
    }

    /** What would be right; empty when the problem says it. */
    public String expected() {
        return expected;
    }
}

package dev.sallyport.server;

import java.util.List;

/** Ends a command with problems. The messages contain no secret. */
public final class Failure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** One problem, on one line. */
    public Failure(String problem) {
        this(List.of(problem));
    }

    /** Several problems, each on one line; at least one. */
    public Failure(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line for each problem; at least one. */
    public List<String> problems() {
        return problems;
    }
}

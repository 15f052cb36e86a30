package dev.sallyport.toolkit.match;

/** Thrown for a path that cannot be decoded. */
public final class MalformedPathException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final PathProblem problem;

    MalformedPathException(PathProblem problem) {
        super(problem.reason());
        this.problem = problem;
    }

    /** The problem. */
    public PathProblem problem() {
        return problem;
    }
}

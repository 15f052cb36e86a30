package dev.sallyport.toolkit.match;

/** A path that has no decoded form. */
public final class MalformedPathException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final PathProblem problem;

    MalformedPathException(PathProblem problem) {
        super(problem.reason());
        this.problem = problem;
    }

    /** What is wrong with it. */
    public PathProblem problem() {
        return problem;
    }
}

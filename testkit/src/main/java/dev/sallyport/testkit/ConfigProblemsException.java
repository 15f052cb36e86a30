package dev.sallyport.testkit;

import dev.sallyport.core.config.ConfigProblem;
import java.util.List;
import java.util.stream.Collectors;

/** A configuration that the engine refuses. The message is the report that an operator would see. */
public final class ConfigProblemsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    ConfigProblemsException(List<ConfigProblem> problems) {
        super(problems.stream().map(ConfigProblem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** What is wrong, in the order of the places. */
    public List<ConfigProblem> problems() {
        return problems;
    }

    /** The JSON pointers of the problems; those of the entry at {@code transforms[0]} begin with {@code /transforms/0/config}. */
    public List<String> pointers() {
        return problems.stream().map(ConfigProblem::pointer).toList();
    }
}

package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import java.util.List;

/** A proxy that could not start. Nothing of it is left running. Messages hold no secret. */
public final class StartException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** One line for each problem; at least one. */
    public StartException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    static StartException of(List<ConfigProblem> problems) {
        return new StartException(
                problems.stream().sorted().map(ConfigProblem::toString).toList());
    }

    static StartException of(String problem) {
        return new StartException(List.of(problem));
    }

    /** One line for each problem; at least one. */
    public List<String> problems() {
        return problems;
    }
}

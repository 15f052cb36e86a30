package dev.sallyport.control.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects what is wrong with a body, so that one answer tells all of it. With {@value #MOST} problems it refuses at
 * once: no client reads more, and neither time nor answer may grow with a body that is all wrong. For one thread.
 */
public final class FieldProblems {

    private static final int MOST = 100;

    private final List<FieldProblem> problems = new ArrayList<>();

    /** Adds a problem; see {@link FieldProblem}. Refuses with 422 when there are {@value #MOST}. */
    public void add(String field, String message) {
        problems.add(new FieldProblem(field, message));
        if (problems.size() == MOST) {
            throw Refusal.invalid(problems);
        }
    }

    /** Adds a problem, unless there is one with this field or inside of it: one mistake is told once. */
    public void addUnlessTouched(String field, String message) {
        if (!isTouched(field)) {
            add(field, message);
        }
    }

    /** Whether there is a problem with this field, or inside of it. */
    public boolean isTouched(String field) {
        return problems.stream()
                .map(FieldProblem::field)
                .anyMatch(other -> other.equals(field)
                        || (other.startsWith(field) && ".[".indexOf(other.charAt(field.length())) >= 0));
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return problems.isEmpty();
    }

    /** All of them, in the order in which they were found. */
    public List<FieldProblem> all() {
        return List.copyOf(problems);
    }

    /** Refuses with 422 when there are any. */
    public void refuseIfAny() {
        if (!problems.isEmpty()) {
            throw Refusal.invalid(problems);
        }
    }
}

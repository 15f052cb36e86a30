package dev.sallyport.core.explain;

import java.util.List;

/** A request that cannot be explained, because it is none. */
public final class InvalidRequestException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /**
     * What is wrong with one field.
     *
     * @param field {@code method}, {@code url}, {@code headers}, ...
     * @param message what is wrong and what was expected; never a header's value
     */
    public record Problem(String field, String message) {

        /** {@code FIELD: MESSAGE}. */
        @Override
        public String toString() {
            return field + ": " + message;
        }
    }

    /** Several problems; at least one. */
    public InvalidRequestException(List<Problem> problems) {
        super(String.join("; ", problems.stream().map(Problem::toString).toList()));
        this.problems = List.copyOf(problems);
    }

    /** One problem. */
    public InvalidRequestException(String field, String message) {
        this(List.of(new Problem(field, message)));
    }

    /** At least one. */
    public List<Problem> problems() {
        return problems;
    }
}

package dev.sallyport.ctl;

import dev.sallyport.ctl.problem.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Which policy is meant.
 *
 * @param text an identifier or a name
 */
record PolicyRef(Kind kind, String text, boolean isId) {

    /**
     * Reads {@code ID}, {@code KIND/NAME}, or {@code NAME} of the kind that is given.
     *
     * @throws Problem when the kind cannot be told, or is told twice
     */
    static PolicyRef parse(String text, @Nullable Kind given) throws Problem {
        int slash = text.indexOf('/');
        Kind told = slash < 0 ? Kind.ofId(text) : Kind.of(text.substring(0, slash));
        if (slash >= 0 && told == null) {
            throw Problem.usage(text + ": no such kind of policies (expected: secrets/NAME, mcp/NAME or network/NAME)");
        }
        if (told != null && given != null && told != given) {
            throw Problem.usage(
                    text + " is not of the kind " + given.word() + " (expected: --kind " + told.word() + ")");
        }
        Kind kind = told == null ? given : told;
        if (kind == null) {
            throw Problem.usage(
                    text + ": of which kind (expected: --kind secrets, mcp or network, or KIND/" + text + ")");
        }
        return new PolicyRef(kind, text.substring(slash + 1), slash < 0 && told != null);
    }

    /** For messages. */
    @Override
    public String toString() {
        return isId ? text : kind.word() + "/" + text;
    }
}

package dev.sallyport.toolkit.headers;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sallyport.toolkit.match.InvalidPatternException;
import org.jspecify.annotations.Nullable;

/**
 * A header name, compared without case, or a {@code /regex/} (RE2 syntax, linear time), found anywhere in the canonical
 * name without regard to case. Immutable.
 */
public final class HeaderPattern {

    private static final String EXPECTED = "a header name such as Authorization, or /regex/";

    private final String text;
    private final @Nullable Pattern regex;

    private HeaderPattern(String text, @Nullable Pattern regex) {
        this.text = text;
        this.regex = regex;
    }

    /**
     * Parses an entry of a configuration.
     *
     * @throws InvalidPatternException when it is neither a field name nor a well-formed {@code /regex/}
     */
    public static HeaderPattern parse(String entry) {
        if (!entry.startsWith("/")) {
            if (!FieldSyntax.isToken(entry)) {
                throw new InvalidPatternException("not a header name", EXPECTED);
            }
            return new HeaderPattern(entry, null);
        }
        if (entry.length() < 3 || !entry.endsWith("/")) {
            throw new InvalidPatternException("an empty or unclosed /regex/", EXPECTED);
        }
        try {
            String expression = entry.substring(1, entry.length() - 1);
            return new HeaderPattern(entry, Pattern.compile(expression, Pattern.CASE_INSENSITIVE));
        } catch (PatternSyntaxException e) {
            InvalidPatternException fault =
                    new InvalidPatternException("a malformed /regex/: " + e.getDescription(), "RE2 syntax");
            fault.initCause(e);
            throw fault;
        }
    }

    /** Whether this is one name and not a {@code /regex/}. */
    public boolean literal() {
        return regex == null;
    }

    /** The entry as given: for a literal, the name in the casing of the configuration. */
    public String text() {
        return text;
    }

    /** Whether a name matches, in whatever casing it came. */
    public boolean matches(String name) {
        return regex == null
                ? HeaderNames.equal(text, name)
                : regex.matcher(HeaderNames.canonical(name)).find();
    }
}

package dev.sallyport.toolkit.scan;

import java.util.ArrayList;
import java.util.List;

/**
 * Placeholders, compiled for every place of a request in which they may stand. To be made once for a configuration; when
 * values change only {@link #swapper} is called again. Immutable and thread-safe.
 */
public final class Placeholders {

    private final TokenMatcher matcher;
    private final Forms query;
    private final Forms path;
    private final Forms rawBody;
    private final Forms jsonBody;
    private final Forms formBody;

    private Placeholders(List<byte[]> placeholders) {
        matcher = TokenMatcher.of(placeholders);
        query = Forms.decoded(placeholders, matcher, true);
        path = Forms.decoded(placeholders, matcher, false);
        rawBody = Forms.body(placeholders, matcher, BodyEscaping.RAW);
        jsonBody = Forms.body(placeholders, matcher, BodyEscaping.JSON);
        formBody = Forms.body(placeholders, matcher, BodyEscaping.FORM);
    }

    /**
     * Compiles placeholders, which are known by their index.
     *
     * @throws IllegalArgumentException when one is empty, or all are longer than {@link TokenMatcher#MAX_TOTAL_LENGTH}
     */
    public static Placeholders of(List<byte[]> placeholders) {
        List<byte[]> copies = new ArrayList<>(placeholders.size());
        placeholders.forEach(placeholder -> copies.add(placeholder.clone()));
        return new Placeholders(copies);
    }

    /** The search for the placeholders themselves. */
    public TokenMatcher matcher() {
        return matcher;
    }

    /**
     * What puts values in place of the placeholders.
     *
     * @param values one for each placeholder, by index; an entry that has no value yet may be empty, and must not be
     *     allowed when the swapper asks
     */
    public Swapper swapper(List<byte[]> values) {
        if (values.size() != matcher.size()) {
            throw new IllegalArgumentException("values: " + values.size() + " (expected: " + matcher.size() + ")");
        }
        return new Swapper(this, values);
    }

    Forms query() {
        return query;
    }

    Forms path() {
        return path;
    }

    Forms body(BodyEscaping escaping) {
        return switch (escaping) {
            case RAW -> rawBody;
            case JSON -> jsonBody;
            case FORM -> formBody;
        };
    }
}

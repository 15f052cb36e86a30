package dev.sallyport.toolkit.scan;

import java.util.ArrayList;
import java.util.List;

/**
 * Placeholders, compiled for every place of a request in which they may stand. To be made once for a configuration; the
 * values are asked for where a placeholder is found. Immutable and thread-safe.
 */
public final class Placeholders {

    private final TokenMatcher matcher;
    private final Swapper swapper;
    private final Forms header;
    private final Forms query;
    private final Forms path;
    private final Forms rawBody;
    private final Forms jsonBody;
    private final Forms formBody;
    private final Forms xmlBody;

    private Placeholders(List<byte[]> placeholders) {
        matcher = TokenMatcher.of(placeholders);
        header = Forms.header(placeholders, matcher);
        query = Forms.decoded(placeholders, matcher, true);
        path = Forms.decoded(placeholders, matcher, false);
        rawBody = Forms.body(placeholders, matcher, BodyEscaping.RAW);
        jsonBody = Forms.body(placeholders, matcher, BodyEscaping.JSON);
        formBody = Forms.body(placeholders, matcher, BodyEscaping.FORM);
        xmlBody = Forms.body(placeholders, matcher, BodyEscaping.XML);
        swapper = new Swapper(this);
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

    /** What puts values in place of the placeholders. */
    public Swapper swapper() {
        return swapper;
    }

    Forms header() {
        return header;
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
            case XML -> xmlBody;
        };
    }
}

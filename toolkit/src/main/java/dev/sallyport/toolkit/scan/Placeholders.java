package dev.sallyport.toolkit.scan;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

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
    private final Map<BodyEscaping, Forms> bodies = new EnumMap<>(BodyEscaping.class);

    private Placeholders(List<byte[]> placeholders, boolean inBodies) {
        matcher = TokenMatcher.of(placeholders);
        header = Forms.header(placeholders, matcher);
        query = Forms.decoded(placeholders, matcher, true);
        path = Forms.decoded(placeholders, matcher, false);
        if (inBodies) {
            for (BodyEscaping escaping : BodyEscaping.values()) {
                bodies.put(escaping, Forms.body(placeholders, matcher, escaping));
            }
        }
        swapper = new Swapper(this);
    }

    /**
     * Compiles placeholders, which are known by their index, for every place.
     *
     * @throws IllegalArgumentException when one is empty, or all are longer than {@link TokenMatcher#MAX_TOTAL_LENGTH}
     */
    public static Placeholders of(List<byte[]> placeholders) {
        return new Placeholders(copy(placeholders), true);
    }

    /** As {@link #of}, but not for bodies and messages, which take a search of their own for each kind of content. */
    public static Placeholders ofHeads(List<byte[]> placeholders) {
        return new Placeholders(copy(placeholders), false);
    }

    private static List<byte[]> copy(List<byte[]> placeholders) {
        List<byte[]> copies = new ArrayList<>(placeholders.size());
        placeholders.forEach(placeholder -> copies.add(placeholder.clone()));
        return copies;
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
        Forms forms = bodies.get(escaping);
        if (forms == null) {
            throw new IllegalStateException("placeholders of heads alone (expected: compiled for bodies too)");
        }
        return forms;
    }
}

package dev.sallyport.toolkit.scan;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Placeholders, compiled for every part of a request. Made once for a configuration; values are requested when a
 * placeholder is found. Immutable and thread-safe.
 */
public final class Placeholders {

    private final TokenMatcher matcher;
    private final PlaceholderReplacer replacer;
    private final PlaceholderForms header;
    private final PlaceholderForms query;
    private final PlaceholderForms path;
    private final Map<BodyEscaping, PlaceholderForms> bodies = new EnumMap<>(BodyEscaping.class);

    private Placeholders(List<byte[]> placeholders, boolean inBodies) {
        matcher = TokenMatcher.of(placeholders);
        header = PlaceholderForms.header(placeholders, matcher);
        query = PlaceholderForms.decoded(placeholders, matcher, true);
        path = PlaceholderForms.decoded(placeholders, matcher, false);
        if (inBodies) {
            for (BodyEscaping escaping : BodyEscaping.values()) {
                bodies.put(escaping, PlaceholderForms.body(placeholders, matcher, escaping));
            }
        }
        replacer = new PlaceholderReplacer(this);
    }

    /**
     * Compiles placeholders, which are identified by their index, for every part of a request.
     *
     * @throws IllegalArgumentException when one is empty, or all are longer than {@link TokenMatcher#MAX_TOTAL_LENGTH}
     */
    public static Placeholders of(List<byte[]> placeholders) {
        return new Placeholders(copy(placeholders), true);
    }

    /** As {@link #of}, but not for bodies and messages, which need a separate search for each kind of content. */
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

    /** Replaces placeholders with values. */
    public PlaceholderReplacer replacer() {
        return replacer;
    }

    PlaceholderForms header() {
        return header;
    }

    PlaceholderForms query() {
        return query;
    }

    PlaceholderForms path() {
        return path;
    }

    PlaceholderForms body(BodyEscaping escaping) {
        PlaceholderForms forms = bodies.get(escaping);
        if (forms == null) {
            throw new IllegalStateException("placeholders for heads only (expected: compiled for bodies too)");
        }
        return forms;
    }
}

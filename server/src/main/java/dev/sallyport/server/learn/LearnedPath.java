package dev.sallyport.server.learn;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A pattern for paths, and why it has wildcards.
 *
 * @param segments what stands between the slashes; {@code *} alone for any one segment
 * @param kinds what its wildcards stand for
 */
record LearnedPath(List<String> segments, Set<SegmentKind> kinds) implements Comparable<LearnedPath> {

    /** Any one segment; in the last place whatever lies below too. */
    static final String ANY = "*";

    /** Any path at all: for what has no path, such as {@code OPTIONS *}. */
    static final LearnedPath EVERYTHING = new LearnedPath(List.of(ANY), Set.of());

    LearnedPath {
        segments = List.copyOf(segments);
        kinds = kinds.isEmpty() ? Set.of() : EnumSet.copyOf(kinds);
    }

    /** As a rule has it. */
    String pattern() {
        return "/" + String.join("/", segments);
    }

    /** Whether it covers what lies below it too (docs/spec/decisions.md, section 1). */
    boolean open() {
        return segments.getLast().equals(ANY);
    }

    /** What a comment says of it; empty for a literal path. */
    String note() {
        String what = words(kinds);
        String star = what.isEmpty() ? "" : "* is " + what;
        if (!open()) {
            return star;
        }
        String below = segments.size() == 1 ? "every path" : "covers what lies below too";
        return star.isEmpty() ? below : star + "; " + below;
    }

    private static String words(Collection<SegmentKind> kinds) {
        return kinds.stream().map(SegmentKind::words).collect(Collectors.joining(" or "));
    }

    @Override
    public int compareTo(LearnedPath other) {
        return pattern().compareTo(other.pattern());
    }
}

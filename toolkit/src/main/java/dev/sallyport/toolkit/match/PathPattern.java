package dev.sallyport.toolkit.match;

import java.util.ArrayList;
import java.util.List;

/**
 * A path pattern: compared with the percent-decoded path, case-sensitively. A trailing <code>/*</code> is that prefix
 * at any depth, and the prefix itself; elsewhere {@code *} stays inside one segment and may be empty. <code>/*</code>
 * is any path. Immutable.
 */
public final class PathPattern {

    private static final int MAX_LENGTH = 2048;

    /** The segments of the path {@code /}. */
    private static final List<String> ROOT = List.of("");

    private final List<String> segments;
    private final boolean open;

    private PathPattern(List<String> segments, boolean open) {
        this.segments = segments;
        this.open = open;
    }

    /**
     * Parses a pattern.
     *
     * @throws InvalidPatternException when it does not begin with a slash, or contains something that decoded paths
     *     never have: percent escapes, a query, a fragment, dot segments, backslashes, control characters
     */
    public static PathPattern parse(String pattern) {
        if (!pattern.startsWith("/")) {
            throw new InvalidPatternException("a path pattern that does not begin with /", "a pattern such as /v1/*");
        }
        if (pattern.length() > MAX_LENGTH) {
            throw new InvalidPatternException(
                    "a path pattern of " + pattern.length() + " characters", "at most " + MAX_LENGTH);
        }
        checkCharacters(pattern);
        boolean open = pattern.endsWith("/*");
        List<String> segments = new ArrayList<>();
        int end = open ? pattern.length() - 2 : pattern.length();
        for (int at = 1; at <= end; ) {
            int slash = pattern.indexOf('/', at);
            int to = slash < 0 || slash > end ? end : slash;
            String segment = pattern.substring(at, to);
            checkSegment(segment);
            segments.add(segment);
            at = to + 1;
        }
        return new PathPattern(List.copyOf(segments), open);
    }

    private static void checkCharacters(String pattern) {
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '?' || c == '#') {
                throw new InvalidPatternException(
                        "a query or fragment in a path pattern", "the path alone, with * as its only wildcard");
            }
            if (c == '\\' || c < 0x20 || c == 0x7F || c == Paths.ENCODED_SLASH) {
                throw new InvalidPatternException(
                        "a backslash or control character in a path pattern", "a path such as /v1/users");
            }
            if (c == '%' && Paths.escape(pattern, i) >= 0) {
                throw new InvalidPatternException(
                        "a percent escape in a path pattern, which is compared with the decoded path",
                        "the decoded character");
            }
        }
        if (pattern.contains("**")) {
            throw new InvalidPatternException(
                    "** in a path pattern", "a trailing /* for any depth, * inside one segment");
        }
    }

    private static void checkSegment(String segment) {
        if (segment.equals(".") || segment.equals("..")) {
            throw new InvalidPatternException(
                    "a dot segment in a path pattern: such paths are refused before rules are applied",
                    "the path without the dot segment");
        }
    }

    /** Whether a decoded path matches. */
    public boolean matches(String decodedPath) {
        if (segments.isEmpty()) {
            return true;
        }
        if (!decodedPath.startsWith("/")) {
            return false;
        }
        int at = 1;
        for (String segment : segments) {
            if (at > decodedPath.length()) {
                return false;
            }
            int slash = decodedPath.indexOf('/', at);
            int end = slash < 0 ? decodedPath.length() : slash;
            if (!Glob.matches(segment, decodedPath, at, end)) {
                return false;
            }
            at = end + 1;
        }
        return open || at > decodedPath.length();
    }

    /**
     * The pattern that matches the {@linkplain LoosePath readings} of what this one matches, and everything below, unless
     * it has a wildcard: what an origin mounts at a path handles all that is below it.
     */
    PathPattern loosened() {
        PathPattern respelled = respelled();
        if (open || segments.stream().anyMatch(Glob::hasWildcard)) {
            return respelled;
        }
        return new PathPattern(respelled.segments.equals(ROOT) ? List.of() : respelled.segments, true);
    }

    /** The pattern that matches the {@linkplain LoosePath readings} of what this one matches. */
    PathPattern respelled() {
        List<String> loose = new ArrayList<>(segments.size());
        for (String segment : segments) {
            String cut = LoosePath.cut(LoosePath.scrub(LoosePath.fold(segment)));
            if (!cut.isEmpty()) {
                loose.add(cut);
            }
        }
        if (loose.isEmpty() && !open) {
            loose.add("");
        }
        return loose.equals(segments) ? this : new PathPattern(List.copyOf(loose), open);
    }

    /** Whether some path matches both. */
    boolean meets(PathPattern other) {
        int common = Math.min(segments.size(), other.segments.size());
        if ((segments.size() > common && !other.open) || (other.segments.size() > common && !open)) {
            return false;
        }
        for (int i = 0; i < common; i++) {
            if (!Glob.meet(segments.get(i), other.segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether this pattern matches every path that the other matches; false in doubt. */
    boolean covers(PathPattern other) {
        if (open ? segments.size() > other.segments.size() : other.open || segments.size() != other.segments.size()) {
            return false;
        }
        for (int i = 0; i < segments.size(); i++) {
            if (!Glob.covers(segments.get(i), other.segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether every path matches. */
    boolean isEverything() {
        return open && segments.isEmpty();
    }

    List<String> segments() {
        return segments;
    }

    /** Whether the pattern matches any rest after its segments. */
    boolean open() {
        return open;
    }
}

package dev.sallyport.toolkit.match;

/**
 * A pattern inside one label or segment: {@code *} is a run of characters, empty included, {@code ?} one character.
 * Works on regions, so that nothing is cut out of the text.
 */
final class Glob {

    private Glob() {}

    static boolean hasWildcard(String pattern) {
        return pattern.indexOf('*') >= 0 || pattern.indexOf('?') >= 0;
    }

    static boolean isWildcard(char c) {
        return c == '*' || c == '?';
    }

    /** Whether the pattern matches all of the region. Needs at most pattern times region steps. */
    static boolean matches(String pattern, String text, int from, int to) {
        int p = 0;
        int t = from;
        int star = -1;
        int resume = 0;
        while (t < to) {
            char c = p < pattern.length() ? pattern.charAt(p) : 0;
            if (p < pattern.length() && c == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length() && (c == '?' || c == text.charAt(t))) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}

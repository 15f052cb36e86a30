package dev.sallyport.toolkit.match;

/**
 * A pattern inside one label or segment: {@code *} is a run of characters, empty included, {@code ?} one character.
 * Works on regions, so that no substring is made.
 */
final class Glob {

    private Glob() {}

    static boolean hasWildcard(String pattern) {
        return pattern.indexOf('*') >= 0 || pattern.indexOf('?') >= 0;
    }

    static boolean isWildcard(char c) {
        return c == '*' || c == '?';
    }

    /** Whether both patterns match some text. */
    static boolean meet(String one, String other) {
        boolean[] next = new boolean[other.length() + 1];
        for (int i = one.length(); i >= 0; i--) {
            boolean[] row = new boolean[other.length() + 1];
            for (int j = other.length(); j >= 0; j--) {
                boolean more = i < one.length();
                boolean otherMore = j < other.length();
                if (more && one.charAt(i) == '*') {
                    row[j] = next[j] || (otherMore && row[j + 1]);
                } else if (otherMore && other.charAt(j) == '*') {
                    row[j] = row[j + 1] || (more && next[j]);
                } else if (more && otherMore) {
                    row[j] = next[j + 1] && same(one.charAt(i), other.charAt(j));
                } else {
                    row[j] = !more && !otherMore;
                }
            }
            next = row;
        }
        return next[0];
    }

    private static boolean same(char one, char other) {
        return one == other || one == '?' || other == '?';
    }

    /** Whether {@code wide} matches every text that {@code narrow} matches; false in doubt. */
    static boolean covers(String wide, String narrow) {
        if (!hasWildcard(wide)) {
            return wide.equals(narrow);
        }
        boolean[] next = new boolean[narrow.length() + 1];
        for (int i = wide.length(); i >= 0; i--) {
            boolean[] row = new boolean[narrow.length() + 1];
            for (int j = narrow.length(); j >= 0; j--) {
                boolean more = i < wide.length();
                boolean narrowMore = j < narrow.length();
                if (more && wide.charAt(i) == '*') {
                    row[j] = next[j] || (narrowMore && row[j + 1]);
                } else if (more && narrowMore) {
                    char c = narrow.charAt(j);
                    row[j] = next[j + 1] && c != '*' && (wide.charAt(i) == '?' || wide.charAt(i) == c);
                } else {
                    row[j] = !more && !narrowMore;
                }
            }
            next = row;
        }
        return next[0];
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

package dev.sallyport.toolkit.match;

import java.util.List;
import java.util.Locale;

/**
 * The ways in which an origin may read a path: case folded, {@code ;} parameters removed, repeated and trailing slashes
 * collapsed. Pure functions over decoded paths.
 */
final class LoosePath {

    private LoosePath() {}

    /** Whether all readings equal the path itself. */
    static boolean isPlain(String path) {
        char before = 0;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if ((c >= 'A' && c <= 'Z') || c >= 0x80 || c == ';' || (c == '/' && before == '/')) {
                return false;
            }
            before = c;
        }
        return before != '/' || path.length() == 1;
    }

    /**
     * The readings, to be looked up among loosened patterns. Case is folded in all of them: for an origin that does not
     * fold case, a match only in folded case does no harm. An origin may apply either of the other changes alone.
     */
    static List<String> readings(String path) {
        String folded = fold(path);
        String cut = cut(folded);
        return List.of(folded, cut, collapse(folded), collapse(cut));
    }

    /** Full case folding, so that texts that are equal in upper or in lower case are equal here. */
    static String fold(String text) {
        StringBuilder lower = new StringBuilder(text.length());
        text.codePoints().map(Character::toLowerCase).forEach(lower::appendCodePoint);
        String upper = lower.toString().toUpperCase(Locale.ROOT);
        lower.setLength(0);
        upper.codePoints().map(Character::toLowerCase).forEach(lower::appendCodePoint);
        return lower.toString();
    }

    /** Without the text after a {@code ;} in each segment. */
    static String cut(String path) {
        if (path.indexOf(';') < 0) {
            return path;
        }
        StringBuilder kept = new StringBuilder(path.length());
        boolean parameters = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            parameters = c != '/' && (parameters || c == ';');
            if (!parameters) {
                kept.append(c);
            }
        }
        return kept.toString();
    }

    private static String collapse(String path) {
        StringBuilder kept = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c != '/' || kept.isEmpty() || kept.charAt(kept.length() - 1) != '/') {
                kept.append(c);
            }
        }
        int last = kept.length() - 1;
        if (last > 0 && kept.charAt(last) == '/') {
            kept.setLength(last);
        }
        return kept.toString();
    }
}

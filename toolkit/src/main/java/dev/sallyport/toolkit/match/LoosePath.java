package dev.sallyport.toolkit.match;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The ways in which an origin may read a path (docs/spec/decisions.md, sections 1 and 20). Case is folded, and control
 * characters, blanks and characters without width are cut, in every reading: for an origin that does neither, a match in
 * such a reading alone does no harm. Any of the other changes an origin may apply alone or with others: escapes are
 * decoded once more, a decoded
 * {@code #} or {@code ?}, or a line end, ends the path, {@code ;} parameters are removed, repeated and trailing slashes
 * collapse, segments lose dots and tildes at their end, and the last one its suffixes such as {@code .json}. Pure
 * functions over decoded paths.
 */
final class LoosePath {

    /** In this order each change sees what those before it leave. */
    private static final List<UnaryOperator<String>> CHANGES =
            List.of(LoosePath::decodedAgain, LoosePath::ended, LoosePath::cut, LoosePath::collapse);

    /** At how many dots of the last segment a suffix may begin, from the left; patterns with more dots are rare. */
    private static final int STEMS = 8;

    private LoosePath() {}

    /** Whether the only reading is the path itself. Allocates nothing. */
    static boolean isPlain(String path) {
        char before = 0;
        boolean dot = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c <= ' ' || c >= 0x7F || (c >= 'A' && c <= 'Z') || c == ';' || c == '#' || c == '?' || c == '%') {
                return false;
            }
            if (c == '/') {
                if (before == '/' || isTail(before)) {
                    return false;
                }
                dot = false;
            }
            dot |= c == '.';
            before = c;
        }
        return !dot && before != '~' && (before != '/' || path.length() == 1);
    }

    /** The readings, to be looked up among {@linkplain PathPattern#loosened() loosened} patterns. */
    static Collection<String> readings(String path) {
        Set<String> whole = new LinkedHashSet<>();
        whole.add(scrub(fold(path)));
        whole.add(scrub(fold(line(path))));
        for (UnaryOperator<String> change : CHANGES) {
            for (String reading : List.copyOf(whole)) {
                whole.add(change.apply(reading));
            }
        }
        List<String> readings = new ArrayList<>(whole);
        whole.forEach(reading -> shorten(reading, readings));
        return readings;
    }

    /** Adds the readings in which segments lose what may stand at their end. */
    private static void shorten(String path, List<String> readings) {
        String bare = bare(path);
        if (!bare.equals(path)) {
            readings.add(bare);
            readings.add(collapse(bare));
        }
        int start = path.lastIndexOf('/') + 1;
        int dot = path.indexOf('.', start);
        for (int stems = 0; dot >= 0 && stems < STEMS; stems++) {
            String stem = path.substring(0, dot);
            readings.add(stem);
            if (dot == start || isTail(path.charAt(dot - 1))) {
                readings.add(collapse(bare(stem)));
            }
            dot = path.indexOf('.', dot + 1);
        }
    }

    private static boolean isTail(char c) {
        return c == '.' || c == '~';
    }

    /** Up to the first line end, before which {@code $} of a regular expression may match. */
    private static String line(String path) {
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) == '\n' || path.charAt(i) == '\r') {
                return path.substring(0, i);
            }
        }
        return path;
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

    /** Without what nobody sees: control characters, blanks, characters without width. */
    static String scrub(String text) {
        if (text.codePoints().noneMatch(LoosePath::isUnseen)) {
            return text;
        }
        StringBuilder kept = new StringBuilder(text.length());
        text.codePoints().filter(point -> !isUnseen(point)).forEach(kept::appendCodePoint);
        return kept.toString();
    }

    private static boolean isUnseen(int point) {
        return Character.isISOControl(point)
                || Character.isWhitespace(point)
                || Character.isSpaceChar(point)
                || Character.getType(point) == Character.FORMAT;
    }

    /** With escapes that were escaped. */
    private static String decodedAgain(String path) {
        if (path.indexOf('%') < 0 || path.chars().anyMatch(c -> c >= 0x80)) {
            return path;
        }
        return scrub(fold(Paths.decode(path)));
    }

    /** Up to a fragment or a query that was escaped, and that an origin decodes too early. */
    private static String ended(String path) {
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) == '#' || path.charAt(i) == '?') {
                return path.substring(0, i);
            }
        }
        return path;
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

    /** Without dots and tildes at the end of each segment. */
    private static String bare(String path) {
        StringBuilder kept = new StringBuilder(path.length());
        for (int i = 0; i <= path.length(); i++) {
            if (i == path.length() || path.charAt(i) == '/') {
                while (!kept.isEmpty() && isTail(kept.charAt(kept.length() - 1))) {
                    kept.setLength(kept.length() - 1);
                }
            }
            if (i < path.length()) {
                kept.append(path.charAt(i));
            }
        }
        return kept.toString();
    }
}

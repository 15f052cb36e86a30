package dev.sallyport.toolkit.match;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Raw paths, as received and forwarded, and their meaning. Paths do not include the query. Their characters are octets
 * (ISO 8859-1, as HTTP decoders produce them). Escapes are decoded once: {@code %252e} is the text {@code %2e}, not a
 * dot. Pure functions.
 */
public final class Paths {

    /** Stands for an encoded slash in the literal reading; no pattern may contain it. */
    static final char ENCODED_SLASH = '\uFFFF';

    /** The segment so far is not made of dots only. */
    private static final int NO_DOTS = -1;

    private Paths() {}

    /**
     * The path with percent escapes decoded as UTF-8. A malformed escape stays as it is; octets that are not UTF-8 become
     * U+FFFD. A path without escapes is returned unchanged.
     */
    public static String decode(String rawPath) {
        return decode(rawPath, '/');
    }

    /** The reading in which an encoded slash is no separator: it becomes {@link #ENCODED_SLASH}. */
    static String decodeLiterally(String rawPath) {
        return decode(rawPath, ENCODED_SLASH);
    }

    /** Whether the path holds an encoded slash. */
    public static boolean hasEncodedSlash(String rawPath) {
        for (int at = rawPath.indexOf('%'); at >= 0; at = rawPath.indexOf('%', at + 1)) {
            if (escape(rawPath, at) == '/') {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether every origin reads this path alike, as far as a glance tells: it has no escape, no backslash, and no segment
     * that begins with a dot. What is false for it may still be {@link PathProblem#NONE}. Allocates nothing.
     */
    public static boolean isPlainlyRead(String rawPath) {
        char before = 0;
        for (int i = 0; i < rawPath.length(); i++) {
            char c = rawPath.charAt(i);
            if (c == '%' || c == '\\' || c >= 0x80 || (c == '.' && before == '/')) {
                return false;
            }
            before = c;
        }
        return true;
    }

    /**
     * A target with its octets over 0x7F percent-encoded (RFC 3986, 2.1); one that has none is returned unchanged.
     *
     * @param target characters are octets
     */
    public static String encodeOctets(String target) {
        int first = 0;
        while (first < target.length() && target.charAt(first) < 0x80) {
            first++;
        }
        if (first == target.length()) {
            return target;
        }
        StringBuilder encoded = new StringBuilder(target.length() + 16).append(target, 0, first);
        for (int i = first; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c < 0x80) {
                encoded.append(c);
            } else {
                encoded.append('%')
                        .append(Character.toUpperCase(Character.forDigit((c >> 4) & 0xF, 16)))
                        .append(Character.toUpperCase(Character.forDigit(c & 0xF, 16)));
            }
        }
        return encoded.toString();
    }

    /**
     * What is the matter with this path, or {@link PathProblem#NONE}; a problem for which it is
     * {@linkplain PathProblem#refused() refused} goes before others. Allocates nothing for a path of ASCII characters and
     * escapes.
     */
    public static PathProblem check(String rawPath) {
        boolean ascii = true;
        PathProblem found = PathProblem.NONE;
        int dots = 0;
        for (int i = 0; i < rawPath.length(); i++) {
            char c = rawPath.charAt(i);
            int octet = c;
            if (c == '%') {
                octet = escape(rawPath, i);
                i += 2;
            }
            PathProblem problem = check(c, octet);
            if (problem.refused()) {
                return problem;
            }
            if (octet < 0) { // the percent sign is text, and so is what follows it
                i -= 2;
            }
            ascii &= octet < 0x80;
            if (octet == '/' || octet == ';') {
                problem = dots > 0 ? PathProblem.DOT_SEGMENT : problem;
                dots = octet == '/' ? 0 : NO_DOTS;
            } else {
                dots = octet == '.' && dots >= 0 && dots < 2 ? dots + 1 : NO_DOTS;
            }
            found = found == PathProblem.NONE ? problem : found;
        }
        if (found != PathProblem.NONE) {
            return found;
        }
        if (dots > 0) {
            return PathProblem.DOT_SEGMENT;
        }
        return ascii || isUtf8(octets(rawPath, '/')) ? PathProblem.NONE : PathProblem.NOT_UTF8;
    }

    private static PathProblem check(char raw, int octet) {
        if (octet < 0) {
            return PathProblem.MALFORMED_ESCAPE;
        }
        if (octet == 0) {
            return PathProblem.NUL;
        }
        if (octet == '\\') {
            return PathProblem.BACKSLASH;
        }
        boolean invalid = raw <= 0x20 || raw == 0x7F || raw > 0xFF || raw == '?' || raw == '#';
        return invalid ? PathProblem.INVALID_CHARACTER : PathProblem.NONE;
    }

    private static boolean isUtf8(ByteBuffer octets) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(octets);
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static String decode(String rawPath, char slash) {
        return isPlain(rawPath)
                ? rawPath
                : StandardCharsets.UTF_8.decode(octets(rawPath, slash)).toString();
    }

    /**
     * The octets that a path stands for. A malformed escape stands for itself, and a character beyond octets for its UTF-8.
     *
     * @param slash what an encoded slash becomes
     */
    static ByteBuffer octets(String rawPath, char slash) {
        ByteBuffer octets = ByteBuffer.allocate(3 * rawPath.length());
        for (int i = 0; i < rawPath.length(); i++) {
            char c = rawPath.charAt(i);
            int octet = c == '%' ? escape(rawPath, i) : c;
            if (c == '%' && octet >= 0) {
                i += 2;
            }
            if (octet > 0xFF || (c == '%' && octet == '/' && slash != '/')) {
                octets.put(String.valueOf(octet > 0xFF ? c : slash).getBytes(StandardCharsets.UTF_8));
            } else {
                octets.put((byte) (octet < 0 ? '%' : octet));
            }
        }
        return octets.flip();
    }

    /** The octet of the escape that begins here, or -1. */
    static int escape(String text, int percent) {
        if (percent + 2 >= text.length()) {
            return -1;
        }
        int high = hex(text.charAt(percent + 1));
        int low = hex(text.charAt(percent + 2));
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static int hex(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    private static boolean isPlain(String rawPath) {
        for (int i = 0; i < rawPath.length(); i++) {
            char c = rawPath.charAt(i);
            if (c == '%' || c >= 0x80) {
                return false;
            }
        }
        return true;
    }
}

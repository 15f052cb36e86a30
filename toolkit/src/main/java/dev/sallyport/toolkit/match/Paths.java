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
     * The path with percent escapes decoded as UTF-8. A path without escapes is returned unchanged.
     *
     * @throws MalformedPathException when an escape is malformed or the octets are not UTF-8
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
     * The reason to refuse this path, or {@link PathProblem#NONE}. Allocates nothing for a path of ASCII characters and
     * escapes.
     */
    public static PathProblem check(String rawPath) {
        boolean ascii = true;
        int dots = 0;
        for (int i = 0; i < rawPath.length(); i++) {
            char c = rawPath.charAt(i);
            int octet = c;
            if (c == '%') {
                octet = escape(rawPath, i);
                i += 2;
            }
            PathProblem problem = check(c, octet);
            if (problem != PathProblem.NONE) {
                return problem;
            }
            ascii &= octet < 0x80;
            if (octet == '/' || octet == ';') {
                if (dots > 0) {
                    return PathProblem.DOT_SEGMENT;
                }
                dots = octet == '/' ? 0 : NO_DOTS;
            } else {
                dots = octet == '.' && dots >= 0 && dots < 2 ? dots + 1 : NO_DOTS;
            }
        }
        if (dots > 0) {
            return PathProblem.DOT_SEGMENT;
        }
        return ascii ? PathProblem.NONE : checkUtf8(rawPath);
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

    private static PathProblem checkUtf8(String rawPath) {
        try {
            decode(rawPath);
            return PathProblem.NONE;
        } catch (MalformedPathException e) {
            return e.problem();
        }
    }

    private static String decode(String rawPath, char slash) {
        if (isPlain(rawPath)) {
            return rawPath;
        }
        ByteBuffer octets = ByteBuffer.allocate(rawPath.length());
        for (int i = 0; i < rawPath.length(); i++) {
            int octet = rawPath.charAt(i);
            if (octet > 0xFF) {
                throw new MalformedPathException(PathProblem.INVALID_CHARACTER);
            }
            if (octet == '%') {
                octet = escape(rawPath, i);
                if (octet < 0) {
                    throw new MalformedPathException(PathProblem.MALFORMED_ESCAPE);
                }
                i += 2;
                if (octet == '/' && slash != '/') {
                    octets.put(String.valueOf(slash).getBytes(StandardCharsets.UTF_8));
                    continue;
                }
            }
            octets.put((byte) octet);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(octets.flip()).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedPathException(PathProblem.NOT_UTF8);
        }
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

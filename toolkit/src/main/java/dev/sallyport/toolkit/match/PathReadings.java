package dev.sallyport.toolkit.match;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which origins read a path that has a {@link PathProblem}: an encoded slash separates segments or does not;
 * octets that are not UTF-8 are lost, are ISO 8859-1, or are taken for the characters that their overlong forms stand for
 * (RFC 3629, 3); {@code %uXXXX} is an escape of IIS, or text; a backslash is a slash, or text; repeated slashes are one, or
 * several; dot segments are removed (RFC 3986, 5.2.4), with and without the parameters behind them, or stay. Pure functions;
 * they allocate, for few paths come here, and are bounded, for a path may hold all of this many times.
 */
final class PathReadings {

    private static final Pattern REPEATED = Pattern.compile("/{2,}");

    /** In this order each change sees what those before it leave. */
    private static final List<UnaryOperator<String>> CHANGES = List.of(
            PathReadings::wideEscapes,
            path -> path.replace('\\', '/'),
            path -> REPEATED.matcher(path).replaceAll("/"),
            path -> withoutDotSegments(path, false),
            path -> withoutDotSegments(path, true));

    /** The longest path that is looked at, in characters. */
    static final int LONGEST = 1024;

    /** The most readings that are looked at; a path with two of these oddities has eight. */
    static final int MOST = 16;

    private static final int HEXADECIMAL = 16;
    private static final int WIDE_ESCAPE = 6;

    private PathReadings() {}

    /** The readings of a raw path, {@link Paths#decode} the first; null when there is too much to be looked at. */
    static @Nullable Collection<String> of(String rawPath) {
        if (rawPath.length() > LONGEST) {
            return null;
        }
        Set<String> readings = new LinkedHashSet<>();
        readings.add(Paths.decode(rawPath));
        readings.add(Paths.decodeLiterally(rawPath));
        ByteBuffer octets = Paths.octets(rawPath, '/');
        readings.add(StandardCharsets.ISO_8859_1.decode(octets.duplicate()).toString());
        readings.add(overlong(octets));
        for (UnaryOperator<String> change : CHANGES) {
            for (String reading : List.copyOf(readings)) {
                readings.add(change.apply(reading));
            }
            if (readings.size() > MOST) {
                return null;
            }
        }
        return readings;
    }

    /** Decodes UTF-8 as those do that take a character in more octets than it needs. */
    private static String overlong(ByteBuffer octets) {
        StringBuilder text = new StringBuilder(octets.remaining());
        for (int i = 0; i < octets.limit(); i++) {
            int lead = octets.get(i) & 0xFF;
            int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
            int point = more == 0 ? lead : lead & (0x3F >> more);
            int read = 0;
            while (read < more && i + read + 1 < octets.limit() && (octets.get(i + read + 1) & 0xC0) == 0x80) {
                read++;
                point = (point << 6) | (octets.get(i + read) & 0x3F);
            }
            if (read == more && Character.isValidCodePoint(point)) {
                text.appendCodePoint(point);
                i += more;
            } else {
                text.append((char) lead);
            }
        }
        return text.toString();
    }

    private static String wideEscapes(String path) {
        StringBuilder text = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            int wide = wideEscape(path, i);
            if (wide >= 0) {
                text.append((char) wide);
                i += WIDE_ESCAPE - 1;
            } else {
                text.append(path.charAt(i));
            }
        }
        return text.toString();
    }

    /** The character of the {@code %uXXXX} that begins here, or -1. */
    private static int wideEscape(String path, int at) {
        if (!path.regionMatches(true, at, "%u", 0, 2) || at + WIDE_ESCAPE > path.length()) {
            return -1;
        }
        int value = 0;
        for (int i = at + 2; i < at + WIDE_ESCAPE; i++) {
            int digit = path.charAt(i) < 0x80 ? Character.digit(path.charAt(i), HEXADECIMAL) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * HEXADECIMAL + digit;
        }
        return value;
    }

    /** @param parameters whether a segment is one of dots too when a {@code ;} follows them */
    private static String withoutDotSegments(String path, boolean parameters) {
        List<String> kept = new ArrayList<>();
        String[] segments = path.split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            String segment = segments[i];
            int end = parameters ? segment.indexOf(';') : -1;
            String bare = end < 0 ? segment : segment.substring(0, end);
            boolean last = i == segments.length - 1;
            if (bare.equals("..") && kept.size() > 1) {
                kept.removeLast();
            }
            if (!bare.equals(".") && !bare.equals("..")) {
                kept.add(segment);
            } else if (last) {
                kept.add("");
            }
        }
        return String.join("/", kept);
    }
}

package dev.sallyport.server.learn;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes a decoded segment in a pattern, which cannot hold every character. Pure functions. */
final class WritableSegment {

    private WritableSegment() {}

    /**
     * The segment, with {@code *} for what no pattern holds.
     *
     * @param kinds gets what the wildcards stand for
     */
    static String of(String segment, Set<SegmentKind> kinds) {
        StringBuilder written = new StringBuilder(segment.length());
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            SegmentKind why = wildcard(segment, i, c);
            if (why == null) {
                written.append(c);
            } else {
                kinds.add(why);
                if (written.isEmpty() || written.charAt(written.length() - 1) != '*') {
                    written.append('*');
                }
            }
        }
        return written.toString();
    }

    /** Whether a pattern can hold it as it is. */
    static boolean isLiteral(String segment) {
        for (int i = 0; i < segment.length(); i++) {
            if (wildcard(segment, i, segment.charAt(i)) != null) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable SegmentKind wildcard(String segment, int at, char c) {
        if (c == '/') {
            return SegmentKind.ENCODED_SLASH;
        }
        boolean escape = c == '%' && isHex(segment, at + 1) && isHex(segment, at + 2);
        boolean unwritable =
                escape || c == '*' || c == '?' || c == '#' || c == '\\' || c < ' ' || c == 0x7F || c == 0xFFFF;
        return unwritable ? SegmentKind.UNWRITABLE : null;
    }

    private static boolean isHex(String segment, int at) {
        return at < segment.length() && segment.charAt(at) < 0x80 && Character.digit(segment.charAt(at), 16) >= 0;
    }
}

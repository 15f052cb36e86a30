package dev.sallyport.server.learn;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why {@code *} stands in the place of a segment of a path. */
enum SegmentKind {
    /** As in RFC 9562. */
    UUID("a UUID", "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
    /** Four digits or more. */
    NUMBER("a number", "[0-9]{4,}"),
    /** Seven hexadecimal digits or more. */
    HEX("hexadecimal", "[0-9a-fA-F]{7,}"),
    /** Two numbers or more with dots between; {@code v1} alone names an interface, not a version of something. */
    VERSION("a version", "v?[0-9]+(?:\\.[0-9]+)+(?:[-+]?[0-9A-Za-z]+(?:[.+-][0-9A-Za-z]+)*)?"),
    /** More than {@link PathTree#MOST} in one place. */
    VARYING("one of many", null),
    /** An encoded slash, which no pattern can hold, and which is none between segments. */
    ENCODED_SLASH("an encoded slash", null),
    /** A character that no pattern can hold. */
    UNWRITABLE("a character that no pattern can hold", null);

    private final String words;
    private final @Nullable Pattern pattern;

    SegmentKind(String words, @Nullable String pattern) {
        this.words = words;
        this.pattern = pattern == null ? null : Pattern.compile(pattern);
    }

    /** The kind of a decoded segment by its looks; null when it is a word like any other. */
    static @Nullable SegmentKind of(String segment) {
        for (SegmentKind kind : values()) {
            if (kind.pattern != null && kind.pattern.matcher(segment).matches()) {
                return kind;
            }
        }
        return null;
    }

    /** What it is, for comments. */
    String words() {
        return words;
    }
}

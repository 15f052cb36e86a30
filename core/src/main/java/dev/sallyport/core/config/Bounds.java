package dev.sallyport.core.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of a scalar.
 *
 * @param min null for none
 * @param max null for none
 */
record Bounds(@Nullable Comparable<?> min, @Nullable Comparable<?> max, String expected) {

    private static final Path NO_FOLDER = Path.of("");

    private static final Bounds NONE = new Bounds(null, null, "");

    static Bounds of(ScalarKind kind, @Nullable Range range) {
        if (range == null && kind != ScalarKind.DURATION) {
            return NONE;
        }
        String min = range == null ? "" : range.min();
        String max = range == null ? "" : range.max();
        if (kind == ScalarKind.DURATION && min.isEmpty()) {
            min = "0";
        }
        String expected = max.isEmpty() ? "at least " + min : min.isEmpty() ? "at most " + max : min + " to " + max;
        return new Bounds(bound(kind, min), bound(kind, max), expected);
    }

    private static @Nullable Comparable<?> bound(ScalarKind kind, String text) {
        return text.isEmpty() ? null : (Comparable<?>) kind.parse(text, NO_FOLDER);
    }

    void check(Object value) {
        if ((min != null && compare(value, min) < 0) || (max != null && compare(value, max) > 0)) {
            boolean negative = min instanceof Duration least && least.isZero() && max == null;
            throw new BadValueException("out of range", negative ? "0 or more" : expected);
        }
    }

    @SuppressWarnings("unchecked") // both were parsed as the same kind
    private static int compare(Object value, Comparable<?> bound) {
        return ((Comparable<Object>) value).compareTo(bound);
    }
}

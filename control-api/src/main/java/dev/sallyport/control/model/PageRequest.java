package dev.sallyport.control.model;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a list.
 *
 * @param limit how many rows at most
 * @param after the row after which it begins, or null for the beginning
 * @param descending whether the newest come first
 */
public record PageRequest(int limit, @Nullable Position after, boolean descending) {

    /**
     * A row of a list that is ordered by time or name, and then by identifier, whether or not it still exists.
     *
     * @param name null in a list that is ordered by time
     */
    public record Position(long time, @Nullable String name, String id) {

        /** In a list that is ordered by time. */
        public Position(long time, String id) {
            this(time, null, id);
        }

        /** In a list that is ordered by name. */
        public Position(String name, String id) {
            this(0, name, id);
        }

        /** What the column that orders the list has in this row: names as bytes, which every database orders alike. */
        public Object value() {
            return name == null ? (Long) time : (Object) name.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** The operator with which a row follows {@link #after}. */
    public String comparison() {
        return descending ? "<" : ">";
    }

    /** The direction of the order. */
    public String direction() {
        return descending ? "desc" : "asc";
    }
}

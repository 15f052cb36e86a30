package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * How objects of one kind are shown to people.
 *
 * @param plural what they are called, for an empty list
 * @param name what other commands take for one
 */
record View(String plural, List<Column> columns, Function<JsonNode, String> name) {

    View {
        columns = List.copyOf(columns);
    }

    /**
     * A column.
     *
     * @param wide whether it is shown with {@code -o wide} only
     */
    record Column(String heading, boolean wide, Cell cell) {

        /** Shown always. */
        static Column of(String heading, Cell cell) {
            return new Column(heading, false, cell);
        }

        /** A field as it is. */
        static Column field(String heading, String pointer) {
            return of(heading, (object, now) -> object.at(pointer).asText());
        }

        /** With {@code -o wide} only. */
        Column onlyWide() {
            return new Column(heading, true, cell);
        }
    }

    /** What stands in a column for one object. */
    @FunctionalInterface
    interface Cell {

        String text(JsonNode object, Instant now);
    }
}

package dev.sallyport.control.model;

import java.util.List;

/** A part of a list. */
public record Page<T>(List<T> rows, boolean hasMore) {

    public Page {
        rows = List.copyOf(rows);
    }

    /** Of one row more than was asked for, where there are so many. */
    public static <T> Page<T> of(List<T> oneMore, int limit) {
        boolean more = oneMore.size() > limit;
        return new Page<>(more ? oneMore.subList(0, limit) : oneMore, more);
    }
}

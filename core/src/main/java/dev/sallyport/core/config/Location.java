package dev.sallyport.core.config;

import java.util.Comparator;

/**
 * A place in the configuration.
 *
 * @param source the file as it was given, or {@code environment:NAME} for a variable
 * @param line counted from 1; 0 where the source has no lines
 * @param column counted from 1, in code points; 0 where the source has no lines
 */
public record Location(String source, int line, int column) implements Comparable<Location> {

    private static final Comparator<Location> ORDER = Comparator.comparing((Location at) -> at.line == 0)
            .thenComparing(Location::source)
            .thenComparingInt(Location::line)
            .thenComparingInt(Location::column);

    static Location environment(String variable) {
        return new Location("environment:" + variable, 0, 0);
    }

    /** Files before variables, then by line and column. */
    @Override
    public int compareTo(Location other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line + ":" + column;
    }
}

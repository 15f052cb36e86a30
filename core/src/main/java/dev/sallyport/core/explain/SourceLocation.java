package dev.sallyport.core.explain;

import dev.sallyport.core.config.Location;

/**
 * A place in the configuration.
 *
 * @param file the file as it was given, or what stands for it
 * @param line from 1; 0 where there are no lines
 * @param pointer JSON pointer (RFC 6901)
 */
public record SourceLocation(String file, int line, String pointer) {

    static SourceLocation of(Location at, String pointer) {
        return new SourceLocation(at.source(), at.line(), pointer);
    }

    /** {@code FILE:LINE}. */
    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line;
    }
}

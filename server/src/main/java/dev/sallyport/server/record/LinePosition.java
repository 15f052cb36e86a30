package dev.sallyport.server.record;

/**
 * A line of an audit log.
 *
 * @param file the file as it was named, {@code -} for standard input
 * @param line counted from 1
 */
public record LinePosition(String file, long line) {

    /** {@code FILE:LINE}. */
    @Override
    public String toString() {
        return file + ":" + line;
    }
}

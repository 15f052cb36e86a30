package dev.sallyport.server.record;

/**
 * A line that holds no usable record.
 *
 * @param torn whether the line is the beginning of a record whose rest is missing, as a killed process leaves it
 * @param why what is wrong with it; never a part of the line
 */
public record UnreadableLine(LinePosition at, boolean torn, String why) {

    /** {@code FILE:LINE: WHY}. */
    @Override
    public String toString() {
        return at + ": " + why;
    }
}

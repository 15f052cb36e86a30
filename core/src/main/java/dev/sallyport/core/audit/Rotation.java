package dev.sallyport.core.audit;

import java.time.Duration;

/**
 * When an audit file is closed and another begun. Whole batches of lines are written, so that a file has more than
 * {@code bytes} only if its first batch has.
 *
 * @param bytes as many as a file may have
 * @param age how long after its first record a file gets no more; zero for ever
 * @param keep how many closed files are kept, {@link Integer#MAX_VALUE} for all
 */
public record Rotation(long bytes, Duration age, int keep) {

    /** Never. */
    public static final Rotation NONE = new Rotation(Long.MAX_VALUE, Duration.ZERO, Integer.MAX_VALUE);
}

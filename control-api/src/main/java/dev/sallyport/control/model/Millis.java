package dev.sallyport.control.model;

import java.time.Instant;

/** Times as the database has them: whole milliseconds. */
public final class Millis {

    private Millis() {}

    /** The first millisecond that is not before this time. */
    public static long ceiling(Instant instant) {
        long millis = instant.toEpochMilli();
        return Instant.ofEpochMilli(millis).equals(instant) ? millis : millis + 1;
    }
}

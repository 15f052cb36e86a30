package dev.sallyport.transforms.hmacsign;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The format of a timestamp. */
public enum TimestampFormat {
    /** Seconds since 1970. */
    UNIX_SECONDS,
    /** Milliseconds since 1970. */
    UNIX_MILLIS,
    /** Nanoseconds since 1970. */
    UNIX_NANOS,
    /** Date and time in UTC with seconds (RFC 3339), such as {@code 2026-01-31T09:30:00Z}. */
    RFC3339;

    String format(Instant moment) {
        return switch (this) {
            case UNIX_SECONDS -> Long.toString(moment.getEpochSecond());
            case UNIX_MILLIS -> Long.toString(moment.toEpochMilli());
            case UNIX_NANOS -> Long.toString(ChronoUnit.NANOS.between(Instant.EPOCH, moment));
            case RFC3339 -> moment.truncatedTo(ChronoUnit.SECONDS).toString();
        };
    }
}

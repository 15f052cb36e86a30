package dev.sallyport.transforms.sigv4auth;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Moments in the form of Signature Version 4, such as {@code 20260131T093000Z}. Pure functions. */
final class Timestamps {

    private static final DateTimeFormatter FORM =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final long NEAR_SECONDS = Duration.ofMinutes(5).toSeconds();
    private static final int LENGTH = 16;
    private static final int DATE_LENGTH = 8;

    private Timestamps() {}

    static String of(Instant moment) {
        return FORM.format(moment);
    }

    /** The eight digits of the day. */
    static String date(String timestamp) {
        return timestamp.substring(0, DATE_LENGTH);
    }

    /** Whether a text is a timestamp at all. */
    static boolean isTimestamp(String text) {
        return parse(text) != null;
    }

    /** Whether a text is a timestamp within five minutes of a moment. */
    static boolean isNear(String text, Instant moment) {
        LocalDateTime then = parse(text);
        return then != null && Math.abs(then.toEpochSecond(ZoneOffset.UTC) - moment.getEpochSecond()) <= NEAR_SECONDS;
    }

    private static @Nullable LocalDateTime parse(String text) {
        if (text.length() != LENGTH || text.charAt(DATE_LENGTH) != 'T' || text.charAt(LENGTH - 1) != 'Z') {
            return null;
        }
        try {
            return LocalDateTime.of(
                    number(text, 0, 4),
                    number(text, 4, 6),
                    number(text, 6, 8),
                    number(text, 9, 11),
                    number(text, 11, 13),
                    number(text, 13, 15));
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static int number(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                throw new DateTimeException("not a digit");
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }
}

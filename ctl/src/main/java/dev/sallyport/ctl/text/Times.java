package dev.sallyport.ctl.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

/** Durations and times, as people write and read them. */
public final class Times {

    private Times() {}

    /**
     * A duration such as {@code 30s}, {@code 5m}, {@code 12h} or {@code 90d}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Duration duration(String text) {
        if (!text.matches("[0-9]{1,6}[smhd]")) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a duration (expected: such as 30s, 5m, 12h, 90d)");
        }
        long number = Long.parseLong(text.substring(0, text.length() - 1));
        return switch (text.charAt(text.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    /**
     * A moment: a time of RFC 3339, a date or a time without a zone (UTC), or how long before now, such as {@code 1h}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Instant moment(String text, Instant now) {
        if (text.matches("[0-9]{1,6}[smhd]")) {
            return now.minus(duration(text));
        }
        try {
            if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) {
                return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
            }
            return text.matches(".*([zZ]|[+-][0-9]{2}:[0-9]{2})")
                    ? OffsetDateTime.parse(text).toInstant()
                    : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "\"" + text
                            + "\" is not a time (expected: such as 2026-11-29, 2026-11-29T08:30:00Z, or 1h for an hour ago)",
                    e);
        }
    }

    /** How long ago a time was, such as {@code 5m}; the text itself if it is no time. */
    public static String age(String time, Instant now) {
        try {
            return rough(Duration.between(Instant.parse(time), now));
        } catch (DateTimeParseException e) {
            return time;
        }
    }

    /** When something ends, such as {@code in 5m}; the text itself if it is no time. */
    public static String end(String time, Instant now) {
        try {
            Duration left = Duration.between(now, Instant.parse(time));
            return left.isNegative() || left.isZero() ? "expired" : "in " + rough(left);
        } catch (DateTimeParseException e) {
            return time;
        }
    }

    private static String rough(Duration time) {
        long seconds = Math.max(0, time.toSeconds());
        if (seconds < 120) {
            return seconds + "s";
        }
        if (seconds < 120 * 60) {
            return seconds / 60 + "m";
        }
        long hours = seconds / 3600;
        if (hours < 48) {
            return hours + "h";
        }
        return hours / 24 + "d";
    }
}

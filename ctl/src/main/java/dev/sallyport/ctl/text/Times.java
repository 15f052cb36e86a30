package dev.sallyport.ctl.text;

import java.time.Duration;
import java.time.Instant;
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

package dev.sallyport.core.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go writes them. */
public final class Durations {

    /**
     * A pattern that ECMA 262 and Java read alike. It matches what {@link #parse} accepts, except for a sign and the
     * range.
     */
    static final String PATTERN = "^(0|([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+)$";

    private static final Pattern WHOLE = Pattern.compile(PATTERN.replace("^(", "^-?("));
    private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ns|us|ms|s|m|h)");
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int MAX_LENGTH = 64;

    /** From large to small. */
    private static final List<String> UNITS = List.of("h", "m", "s", "ms", "us", "ns");

    private Durations() {}

    /** Parses {@code 30s}, {@code 1h30m}, {@code 1.5s}, {@code 250ms}, {@code 0}; up to 292 years. */
    static Duration parse(String text) {
        if (text.length() > MAX_LENGTH || !WHOLE.matcher(text).matches()) {
            throw new BadValueException("not a duration", ScalarKind.DURATION.expected());
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        while (part.find()) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(nanos(part.group(2)))));
        }
        BigInteger whole = nanos.toBigInteger();
        if (whole.compareTo(MAX) > 0) {
            throw new BadValueException("the duration is too long", "less than 292 years");
        }
        Duration duration = Duration.ofNanos(whole.longValueExact());
        return text.startsWith("-") ? duration.negated() : duration;
    }

    /** Whether {@link #parse} reads this. */
    public static boolean isReadable(String text) {
        try {
            parse(text);
            return true;
        } catch (BadValueException e) {
            return false;
        }
    }

    /** With the largest unit that leaves no rest, such that {@link #parse} reads the same: {@code 90s}, {@code 24h}. */
    public static String format(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos == 0) {
            return "0s";
        }
        for (String unit : UNITS) {
            if (nanos % nanos(unit) == 0) {
                return nanos / nanos(unit) + unit;
            }
        }
        throw new IllegalStateException("a nanosecond leaves no rest");
    }

    private static long nanos(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            default -> 3_600_000_000_000L;
        };
    }
}

package dev.sallyport.core.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go writes them. */
final class Durations {

    /** A pattern that ECMA 262 and Java read alike: what {@link #parse} accepts, but for a sign and the range. */
    static final String PATTERN = "^(0|([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+)$";

    private static final Pattern WHOLE = Pattern.compile(PATTERN.replace("^(", "^-?("));
    private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ns|us|ms|s|m|h)");
    private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int MAX_LENGTH = 64;

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
            throw new BadValueException("too long a duration", "less than 292 years");
        }
        Duration duration = Duration.ofNanos(whole.longValueExact());
        return text.startsWith("-") ? duration.negated() : duration;
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

package dev.sallyport.compare.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Writes numbers with as many digits as mean something. */
final class Numbers {

    private static final MathContext THREE = new MathContext(3);

    private Numbers() {}

    /** Three digits; whole numbers from 100 on, with commas. */
    static String text(double value) {
        if (value == 0) {
            return "0";
        }
        if (Math.abs(value) >= 100) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        return BigDecimal.valueOf(value).round(THREE).stripTrailingZeros().toPlainString();
    }
}

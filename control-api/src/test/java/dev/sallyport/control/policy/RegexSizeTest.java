package dev.sallyport.control.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The estimate, compared with what RE2 compiles. */
class RegexSizeTest {

    private static final String[] PARTS = {
        "a",
        "bc",
        "(",
        ")",
        "(?:",
        "|",
        "*",
        "+?",
        "{3}",
        "{2,}",
        "{1,4}",
        "{20}",
        "[a-z]",
        "[]\\]x]",
        "[^]a]",
        "\\pN",
        "\\p{Greek}",
        "\\x{41}",
        "\\Q(a{9}\\E",
        "\\Q)\\E",
        "\\(",
        "{",
        "}",
        "[[:alpha:]]",
        ".",
        "^",
        "$",
        "\\d"
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "abc",
                "a{1000}",
                "(abc){100}",
                "(a{30}){30}",
                "((a{9}){9}){9}",
                "(a|b{5}){50}",
                "[a-z]{40}",
                "(x\\Q(\\E){400}",
                "(x\\Q)\\E){400}",
                "([)]){400}",
                "([]())]x){300}",
                "(a{0,9}){0,90}",
                "\\p{L}{500}"
            })
    void whatCompilesIsEstimated(String text) {
        int size = Pattern.compile(text).programSize();

        assertThat(RegexSize.of(text)).isBetween(size / 3L - 2, size * 3L + 2);
    }

    @Test
    void noExpressionIsMuchLargerThanItsEstimate() {
        Random random = new Random(7);
        int compiled = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(12); n >= 0; n--) {
                text.append(PARTS[random.nextInt(PARTS.length)]);
            }
            long estimate = RegexSize.of(text.toString());
            if (estimate > 100_000) {
                continue;
            }
            try {
                assertThat((long) Pattern.compile(text.toString()).programSize())
                        .as(text.toString())
                        .isLessThanOrEqualTo(3 * estimate + 10);
                compiled++;
            } catch (PatternSyntaxException e) {
                assertThat(estimate).isNotNegative();
            }
        }
        assertThat(compiled).isGreaterThan(1000);
    }

    @Test
    void nestedCountsMultiplyWithoutEnd() {
        String text = "(".repeat(200) + "a" + "{1000})".repeat(200);

        assertThat(RegexSize.of(text)).isGreaterThan(1L << 39);
    }
}

package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What differs makes the one text out of the other. */
class SpliceTest {

    private static final String GRIN = "\uD83D\uDE00";
    private static final String WINK = "\uD83D\uDE09";
    private static final String SONG = "\uD83C\uDE00";

    private static String applied(String from, Splice splice) {
        return from.substring(0, splice.front()) + splice.middle() + from.substring(from.length() - splice.back());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {"''|''", "a|''", "''|a", "abc|abc", "abc|axc", "aa|aaa", "aaa|aa", "abab|ab", "ab|abab", "abc|xyz"
            })
    void itMakesTheOtherText(String from, String to) {
        assertThat(applied(from, Splice.of(from, to))).isEqualTo(to);
    }

    @Test
    void onlyWhatDiffersIsInIt() {
        assertThat(Splice.of("{\"a\":1,\"b\":2}", "{\"a\":1,\"x\":9,\"b\":2}")).isEqualTo(new Splice(8, 5, "x\":9,\""));
    }

    /** Half of a pair is no text that JSON in UTF-8 can carry. */
    @Test
    void noSurrogatePairIsCut() {
        for (String[] texts : new String[][] {
            {"x" + GRIN + "y", "x" + WINK + "y"}, {"x" + GRIN + "y", "x" + SONG + "y"}, {GRIN, SONG + GRIN}
        }) {
            Splice splice = Splice.of(texts[0], texts[1]);
            assertThat(applied(texts[0], splice)).isEqualTo(texts[1]);
            assertThat(new String(splice.middle().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(splice.middle());
        }
    }

    @Test
    void anyTwoTexts() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            String from = text(random);
            String to = text(random);
            assertThat(applied(from, Splice.of(from, to))).isEqualTo(to);
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(6); left > 0; left--) {
            text.append(new String[] {"a", "b", GRIN, WINK, SONG}[random.nextInt(5)]);
        }
        return text.toString();
    }
}

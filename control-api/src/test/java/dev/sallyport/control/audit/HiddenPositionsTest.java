package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HiddenPositionsTest {

    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.UTF_8);

    private final HiddenPositions positions = new HiddenPositions(SECRET, "epoch", "org_a");

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4711, Long.MAX_VALUE, -1})
    void whatIsHiddenIsFoundAgain(long position) {
        String text = positions.hide(position);

        assertThat(text).matches("[A-Za-z0-9_-]{22}");
        assertThat(positions.find(text)).hasValue(position);
        assertThat(new HiddenPositions(SECRET, "epoch", "org_a").hide(position)).isEqualTo(text);
    }

    @Test
    void thoseOfOthersAndOtherNumberingsAreNone() {
        String text = positions.hide(5);

        assertThat(new HiddenPositions(SECRET, "epoch", "org_b").find(text)).isEmpty();
        assertThat(new HiddenPositions(SECRET, "other", "org_a").find(text)).isEmpty();
        assertThat(new HiddenPositions("other".getBytes(StandardCharsets.UTF_8), "epoch", "org_a").find(text))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "epoch:5", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAA", "\u00e9"})
    void otherTextsAreNone(String text) {
        assertThat(positions.find(text)).isEmpty();
    }

    @Test
    void noBitThatWasChangedIsOverlooked() {
        StringBuilder text = new StringBuilder(positions.hide(5));
        for (int i = 0; i < text.length() - 1; i++) {
            char was = text.charAt(i);
            text.setCharAt(i, was == 'A' ? 'B' : 'A');
            assertThat(positions.find(text.toString())).isEmpty();
            text.setCharAt(i, was);
        }
    }

    @Test
    void neighboursHaveNothingInCommon() {
        Set<String> beginnings = new HashSet<>();
        Set<String> ends = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            String text = positions.hide(i);
            beginnings.add(text.substring(0, 5));
            ends.add(text.substring(17));
        }

        assertThat(beginnings).hasSize(1000);
        assertThat(ends).hasSize(1000);
    }
}

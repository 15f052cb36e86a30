package dev.sallyport.toolkit.headers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The grammar of fields")
class FieldSyntaxTest {

    private static final String TOKEN = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    /** Asks of every character alone, at the beginning, in the middle and at the end. */
    private static void each(java.util.function.Predicate<String> grammar, IntPredicate expected) {
        for (int c = 0; c <= 0x1FF; c++) {
            String one = String.valueOf((char) c);
            for (String text : new String[] {one, one + "ab", "a" + one + "b", "ab" + one}) {
                assertThat(grammar.test(text)).as("0x%02X in %s", c, text).isEqualTo(expected.test(c));
            }
        }
    }

    @Test
    @DisplayName("takes letters, digits and fifteen symbols for a token")
    void tokens() {
        each(FieldSyntax::isToken, c -> TOKEN.indexOf(c) >= 0);
        assertThat(FieldSyntax.isToken("")).isFalse();
    }

    @Test
    @DisplayName("takes no capital letters for a name of HTTP/2")
    void lowerCaseNames() {
        each(FieldSyntax::isLowerCaseName, c -> TOKEN.indexOf(c) >= 0 && !(c >= 'A' && c <= 'Z'));
        assertThat(FieldSyntax.isLowerCaseName("")).isFalse();
    }

    @Test
    @DisplayName("takes no control character but tab for a value, and nothing beyond an octet")
    void values() {
        each(FieldSyntax::isValue, c -> c == '\t' || (c >= ' ' && c != 0x7F && c <= 0xFF));
        assertThat(FieldSyntax.isValue("")).isTrue();
    }

    @Test
    @DisplayName("forwards what no recipient reads as something else")
    void transmissible() {
        each(FieldSyntax::isTransmissible, c -> c != 0 && c != '\r' && c != '\n' && c <= 0xFF);
        assertThat(FieldSyntax.isTransmissible("")).isTrue();
    }

    @Test
    @DisplayName("takes visible characters for a target, except those that are excluded")
    void targets() {
        each(
                text -> FieldSyntax.isTargetText(text, "?#"),
                c -> c > ' ' && c != 0x7F && c <= 0xFF && c != '?' && c != '#');
        assertThat(FieldSyntax.isTargetText("", "")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"'', true", "a, true", "' a', false", "'a ', false", "'a b', true", "'\t', false", "'a\t', false"})
    @DisplayName("knows white space at the ends of a value")
    void trimmed(String value, boolean trimmed) {
        assertThat(FieldSyntax.isTrimmed(value)).isEqualTo(trimmed);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "00, 0", "7, 7", "0123, 123", "999999999999999999, 999999999999999999"})
    @DisplayName("reads lengths of up to 18 digits")
    void lengths(String text, long length) {
        assertThat(FieldSyntax.length(text)).isEqualTo(length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1000000000000000000", "+5", "-5", " 5", "5 ", "5,5", "0x5", "5.0", "\u0665", "\uFF15"})
    @DisplayName("reads nothing else as a length")
    void noLengths(String text) {
        assertThat(FieldSyntax.length(text)).isEqualTo(FieldSyntax.INVALID_LENGTH);
    }
}

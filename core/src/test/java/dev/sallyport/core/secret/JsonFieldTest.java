package dev.sallyport.core.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code json_key}: docs/spec/decisions.md, section 6. */
class JsonFieldTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":\"text\"} | a | text",
                "{\"a/b\":\"slash\"} | a/b | slash",
                "{\"a~b\":\"tilde\"} | a~b | tilde",
                "{\"0\":\"digit\"} | 0 | digit",
                "{\"x\":{\"a\":\"inner\"},\"a\":\"outer\"} | a | outer",
                "{\"x\":{\"a\":\"inner\"}} | /x/a | inner",
                "{\"x\":[\"no\",\"yes\"]} | /x/1 | yes",
                "[\"first\"] | /0 | first",
                "{\"n\":1.50} | n | 1.50",
                "{\"n\":-1E+3} | n | -1E+3",
                "{\"n\":12345678901234567890123} | n | 12345678901234567890123",
                "{\"b\":true} | b | true",
                "{\"s\":\"\\u00e9\\n\"} | s | '\u00e9\n'",
            })
    void stringsAreTakenAsTheyAreNumbersAndBooleansInJsonForm(String json, String key, String expected)
            throws SecretException {
        assertThat(JsonField.extract(SecretValue.of(json), key).text()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3cr3t",
                "{\"a\":\"s3cr3t\"",
                "{\"a\":s3cr3t}",
                "{\"a\":\"s3cr3t\"} s3cr3t",
                "{\"a\":\"s3cr3t\",\"a\":\"other\"}",
                "{\"b\":\"s3cr3t\"}",
                "{\"a\":null,\"b\":\"s3cr3t\"}",
                "{\"a\":{\"c\":\"s3cr3t\"}}",
                "{\"a\":[\"s3cr3t\"]}",
                "[\"s3cr3t\"]",
                "\"s3cr3t\"",
                "",
            })
    void everythingElseIsAnErrorThatQuotesNothing(String json) {
        Throwable problem = catchThrowable(() -> JsonField.extract(SecretValue.of(json), "a"));
        assertThat(problem).isInstanceOf(SecretException.class).hasNoCause();
        assertThat(problem.getMessage()).startsWith("json_key: ").doesNotContain("s3cr3t");
    }
}

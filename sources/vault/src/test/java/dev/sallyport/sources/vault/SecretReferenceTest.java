package dev.sallyport.sources.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** References of the form {@code op://<vault>/<item>/[<section>/]<field>}. */
class SecretReferenceTest {

    @Test
    void hasThreeParts() throws Exception {
        assertThat(SecretReference.parse("op://Prod/GitHub bot/token"))
                .isEqualTo(new SecretReference("op://Prod/GitHub bot/token", "Prod", "GitHub bot", "", "token", ""));
    }

    @Test
    void hasFourWithASection() throws Exception {
        SecretReference reference = SecretReference.parse("op://Prod/GitHub/api keys/token");

        assertThat(reference.section()).isEqualTo("api keys");
        assertThat(reference.parts()).containsExactly("Prod", "GitHub", "api keys", "token");
    }

    @Test
    void isPercentDecoded() throws Exception {
        assertThat(SecretReference.parse("op://Prod%20vault/a%2Fb/caf%C3%A9%25").parts())
                .containsExactly("Prod vault", "a/b", "caf\u00e9%");
    }

    @Test
    void keepsAttributesApart() throws Exception {
        SecretReference reference = SecretReference.parse("op://Prod/GitHub/one-time password?attribute=otp");

        assertThat(reference.field()).isEqualTo("one-time password");
        assertThat(reference.query()).isEqualTo("attribute=otp");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            vault://a/b/c   | not a reference to a secret
            OP://a/b/c      | not a reference to a secret
            ''              | not a reference to a secret
            op://a/b        | a reference to a secret with 2 parts instead of 3 or 4
            op://a/b/c/d/e  | a reference to a secret with 5 parts instead of 3 or 4
            op:///b/c       | a part of the reference is empty or has control characters
            op://a/b/       | a part of the reference is empty or has control characters
            op://a/%20/c    | a part of the reference is empty or has control characters
            op://a/b%0Ab/c  | a part of the reference is empty or has control characters
            op://a/100%/c   | a % without two hexadecimal digits; the character itself is written %25
            op://a/%G0/c    | a % without two hexadecimal digits; the character itself is written %25
            op://a/b/c%4    | a % without two hexadecimal digits; the character itself is written %25
            op://a/b/%C3    | percent-encoded bytes that are not UTF-8
            """)
    void whatIsNoneIsToldApart(String text, String problem) {
        assertThatThrownBy(() -> SecretReference.parse(text))
                .isInstanceOf(BadReferenceException.class)
                .hasMessage(problem);
    }
}

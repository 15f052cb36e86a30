package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What counts as a verdict. */
class VerdictTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"decision\":\"ALLOW\",\"reason\":\"fine\"}",
                "  {\"reason\": \"fine\", \"decision\": \"ALLOW\"}\n",
                "```json\n{\"decision\":\"ALLOW\",\"reason\":\"fine\"}\n```",
                "```\n{\"decision\":\"ALLOW\",\"reason\":\"fine\"}```"
            })
    void verdicts(String answer) throws Exception {
        assertThat(Verdict.parse(answer)).isEqualTo(new Verdict(true, "fine"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ALLOW",
                "\"ALLOW\"",
                "null",
                "[]",
                "{}",
                "{\"decision\":\"ALLOW\"}",
                "{\"decision\":\"ALLOW\",\"reason\":7}",
                "{\"decision\":true,\"reason\":\"fine\"}",
                "{\"decision\":\"allow\",\"reason\":\"fine\"}",
                "{\"decision\":\"ALLOW \",\"reason\":\"fine\"}",
                "{\"decision\":\"MAYBE\",\"reason\":\"fine\"}",
                "{\"decision\":[\"ALLOW\"],\"reason\":\"fine\"}",
                "{\"decision\":\"DENY\",\"decision\":\"ALLOW\",\"reason\":\"fine\"}",
                "{\"decision\":\"ALLOW\",\"reason\":\"fine\",\"override\":true}",
                "{\"decision\":\"ALLOW\",\"reason\":\"fine\"} {\"decision\":\"DENY\",\"reason\":\"no\"}",
                "{\"decision\":\"ALLOW\",\"reason\":\"fi",
                "Sure! {\"decision\":\"ALLOW\",\"reason\":\"fine\"}",
                "{\"decision\":\"ALLOW\",\"reason\":\"fine\"} I hope that helps.",
                "[{\"decision\":\"ALLOW\",\"reason\":\"fine\"}]",
                "```json\n{\"decision\":\"ALLOW\",\"reason\":\"fine\"}\n``` ```",
                "{'decision':'ALLOW','reason':'fine'}",
                "```"
            })
    void everythingElseIsNone(String answer) {
        assertThatExceptionOfType(NoVerdictException.class)
                .isThrownBy(() -> Verdict.parse(answer))
                .withMessageStartingWith("malformed output: ")
                .satisfies(failure -> assertThat(failure.output()).isEqualTo(answer));
    }
}

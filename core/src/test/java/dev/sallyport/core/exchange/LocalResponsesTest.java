package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a problem document says of who refused. */
class LocalResponsesTest {

    private static final Refusal REFUSAL = new Refusal(403, "no_entry", "No.", "http_request_denied");

    private static RequestMessage accepting(String accept) {
        HeaderBlock headers = new HeaderBlock(1);
        headers.append("Accept", accept);
        return new RequestMessage("GET", "/", "", headers, 0);
    }

    private static String problem(String accept, LocalResponses.DecidedBy origin) {
        return problem(accept, origin, ProblemForm.DOCUMENT);
    }

    private static String problem(String accept, LocalResponses.DecidedBy origin, ProblemForm form) {
        byte[] body = LocalResponses.problem("x1", accepting(accept), REFUSAL, origin, form)
                .body();
        return new String(body, StandardCharsets.UTF_8);
    }

    private static String reason(String detail, LocalResponses.DecidedBy origin) {
        Refusal refusal = new Refusal(403, "no_entry", detail, "http_request_denied");
        return LocalResponses.problem("x1", null, refusal, origin, ProblemForm.EXPLAINED)
                .head()
                .reason();
    }

    @Test
    void theTransformItsNameAndItsRuleAreToldInBothForms() {
        LocalResponses.DecidedBy origin = new LocalResponses.DecidedBy("judge", "\"house\"", "transforms[3].rules[1]");

        assertThat(problem("*/*", origin))
                .contains("\"transform\":\"judge\",\"name\":\"\\\"house\\\"\",\"rule\":\"transforms[3].rules[1]\"");
        assertThat(problem("text/html", origin))
                .contains("\ntransform: judge\nname: \"house\"\nrule: transforms[3].rules[1]\n");
    }

    @Test
    void ofTheEngineNothingIsToldThatItDoesNotHave() {
        assertThat(problem("*/*", LocalResponses.DecidedBy.ENGINE)).doesNotContain("transform", "\"name\"", "rule");
        assertThat(problem("text/html", LocalResponses.DecidedBy.ENGINE)).doesNotContain("transform", "name", "rule");
    }

    @Test
    void explainedProblemsAreJsonOnlyForClientsThatNameIt() {
        LocalResponses.DecidedBy origin = LocalResponses.DecidedBy.ENGINE;

        assertThat(problem("*/*", origin, ProblemForm.EXPLAINED)).startsWith("403 Forbidden\nNo.\n");
        assertThat(problem("application/json, */*", origin, ProblemForm.EXPLAINED))
                .startsWith("{");
    }

    @Test
    void theReasonPhraseSaysWhatTheDocumentSays() {
        LocalResponses.DecidedBy ruled = new LocalResponses.DecidedBy("judge", "", "transforms[3].rules[1]");
        LocalResponses.DecidedBy unruled = new LocalResponses.DecidedBy("allowlist", "", "");

        assertThat(reason("Not to a.example.com.", ruled))
                .isEqualTo("Forbidden: Not to a.example.com. (transforms[3].rules[1])");
        assertThat(reason("Not to a.example.com.", unruled)).isEqualTo("Forbidden: Not to a.example.com. (allowlist)");
        assertThat(reason("Not to a.example.com.", LocalResponses.DecidedBy.ENGINE))
                .isEqualTo("Forbidden: Not to a.example.com.");
    }

    @Test
    void titleAndReasonPhraseAreThoseOfRfc9110() {
        LocalResponses.LocalResponse made = LocalResponses.problem(
                "x",
                null,
                new Refusal(413, "request_body_too_large", "Too much.", "http_request_error"),
                LocalResponses.DecidedBy.ENGINE,
                ProblemForm.DOCUMENT);

        assertThat(made.head().reason()).isEqualTo("Content Too Large");
        assertThat(new String(made.body(), StandardCharsets.UTF_8)).contains("\"title\":\"Content Too Large\"");
    }

    /** RFC 9112, 4: a reason phrase is part of a line. */
    @Test
    void nothingInADetailEndsTheLineOrLeavesAscii() {
        String hostile = "a\r\nSet-Cookie: x=1\r\n\r\n\u0000\u001b[2J\u007f\u0080\u0085\u2028\u00e9\ud83d\ude00";

        assertThat(reason(hostile, LocalResponses.DecidedBy.ENGINE))
                .isEqualTo("Forbidden: a??Set-Cookie: x=1??????[2J???????");
        assertThat(reason("x".repeat(100_000), LocalResponses.DecidedBy.ENGINE))
                .hasSize(1024)
                .endsWith("x...");
    }
}

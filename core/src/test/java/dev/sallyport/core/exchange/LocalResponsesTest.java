package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a problem document says of who refused. */
class LocalResponsesTest {

    private static final Refusal REFUSAL = new Refusal(403, "no_entry", "No.", "http_request_denied");

    private static String problem(String accept, LocalResponses.DecidedBy origin) {
        HeaderBlock headers = new HeaderBlock(1);
        headers.append("Accept", accept);
        RequestMessage request = new RequestMessage("GET", "/", "", headers, 0);
        return new String(LocalResponses.problem("x1", request, REFUSAL, origin).body(), StandardCharsets.UTF_8);
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
}

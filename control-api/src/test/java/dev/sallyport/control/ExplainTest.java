package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code POST /v1/egress/explain} takes and refuses; what it finds out is tested where transforms are. */
class ExplainTest {

    private static final String PATH = "/v1/egress/explain";

    private final Api api = TestControl.shared().newAccount();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | method,url",
                "{\"url\": \"https://a.test/\"} | method",
                "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"x\": 1} | x",
                "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"headers\": []} | headers",
                "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"headers\": {\"A\": 1}} | headers",
                "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"headers\": {\"A\": [\"x\", 1]}} | headers",
                "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"headers\": {\"a b\": \"x\"}} | headers",
                "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"headers\": {\"A\": \"x\\ny\"}} | headers",
                "{\"url\": \"ftp://a.test/\", \"method\": \"GET\"} | url",
                "{\"url\": \"https://a..test/\", \"method\": \"GET\"} | url",
                "{\"url\": \"/path\", \"method\": \"GET\"} | url",
                "{\"url\": \"https://a.test/\", \"method\": \"a b\"} | method"
            })
    void aMalformedQuestionIs422WithItsFields(String body, String fields) {
        Api.Reply reply = api.post(PATH, body);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactlyInAnyOrder(fields.split(","));
    }

    @Test
    void anUnknownSandboxIs404() {
        assertThat(api.post(PATH, "{\"url\": \"https://a.test/\", \"method\": \"GET\", \"vm_id\": \"vm_x\"}")
                        .error())
                .isEqualTo("404 vm_not_found");
    }

    @Test
    void aLongBodyIs413() {
        assertThat(api.post(PATH, "{\"url\": \"" + "x".repeat(17_000) + "\"}").error())
                .isEqualTo("413 payload_too_large");
    }

    @Test
    void aPipelineThatThisProgramCannotBuildRefusesAsProxiesDo() {
        Api.Reply reply = api.post(PATH, "{\"url\": \"https://a.test/\", \"method\": \"GET\"}");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().path("verdict").asText()).isEqualTo("error");
        assertThat(reply.json().path("code").asText()).isEqualTo("policy_unavailable");
        assertThat(reply.json().path("problems").findValuesAsText("message")).isNotEmpty();
    }
}

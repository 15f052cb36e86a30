package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static dev.sallyport.transforms.secrets.Fixture.harness;
import static dev.sallyport.transforms.secrets.Fixture.secrets;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Legacy fields and configuration errors: docs/spec/proxy-config.md, section "secrets", and docs/spec/decisions.md,
 * section 6.
 */
class ConfigurationTest {

    private static final String SOURCE = "source: {type: fake, name: TOKEN}";

    @Test
    void flatFieldsActAsTheReplaceBlock() {
        try (TransformHarness harness = secrets("{" + SOURCE
                + ", proxy_value: PLACEHOLDER, match_headers: [X-Token], match_body: true, match_path: true,"
                + " match_query: true, require: true}")) {
            assertThat(harness.send(
                            TestRequest.post("https://a.test/PLACEHOLDER?q=PLACEHOLDER", "text/plain", "PLACEHOLDER")
                                    .header("X-Token", "PLACEHOLDER")
                                    .header("X-Other", "PLACEHOLDER")))
                    .hasForwardedTarget("/s3cr3t%2F+value?q=s3cr3t%2F%2Bvalue")
                    .hasForwardedBody(REAL)
                    .hasForwardedHeader("X-Token", REAL)
                    .hasForwardedHeader("X-Other", "PLACEHOLDER");
            assertThat(harness.send(TestRequest.get("https://a.test/"))).isRefused(403, "placeholder_required");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "proxy_value: P, replace: {proxy_value: P}                       | ''",
                "require: true, replace: {proxy_value: P}                        | ''",
                "match_path: false, inject: {header: X}                          | ''",
                "match_headers: [X], inject: {header: X}                         | ''",
                "rules: []                                                       | ''",
                "inject: {header: X}, replace: {proxy_value: P}                  | ''",
                "match_body: true                                                | /proxy_value",
                "proxy_value: ''                                                 | /proxy_value",
                "replace: {proxy_value: ''}                                      | /replace/proxy_value",
                "replace: {match_body: true}                                     | /replace/proxy_value",
                "replace: {proxy_value: P, match_headers: ['/(/']}               | /replace/match_headers/0",
                "replace: {proxy_value: P, match_headers: [A, 'b c']}            | /replace/match_headers/1",
                "proxy_value: P, match_headers: ['b c']                          | /match_headers/0",
                "replace: {proxy_value: P, scan_headers: false}                  | /replace",
                "replace: {proxy_value: P, scan_headers: false, match_headers: [A]} | /replace/match_headers",
                "inject: {}                                                      | /inject",
                "inject: {header: X, query_param: y}                             | /inject",
                "inject: {header: 'a b'}                                         | /inject/header",
                "inject: {header: Content-Length}                                | /inject/header",
                "inject: {header: X, require: false}                             | /inject/require",
                "inject: {query_param: ''}                                       | /inject/query_param",
                "inject: {query_param: k, formatter: '{{.Value}}'}               | /inject/formatter",
                "inject: {header: X, formatter: '{{.Valeu}}'}                    | /inject/formatter",
                "inject: {header: X, formatter: '{{nope .Value}}'}               | /inject/formatter",
                "inject: {header: X, formatter: '{{.Value'}                      | /inject/formatter",
                "replace: {proxy_value: P, redact_response: always}              | /replace/redact_response",
                "replace: {proxy_value: P, on_misdirect: reject}                 | /replace/on_misdirect",
                "replace: {proxy_value: P}, on_misdirect: refuse                 | /on_misdirect",
                "inject: {header: X}, on_misdirect: reject                       | /on_misdirect",
                "inject: {header: X}, on_misdirect: annotate                     | /on_misdirect",
            },
            quoteCharacter = '"')
    void mistakeIsReportedAtItsPlace(String fields, String pointer) {
        String expected = pointer.equals("''") ? "" : pointer;

        assertThat(harness("{" + SOURCE + ", " + fields + "}").problems())
                .singleElement()
                .extracting(ConfigProblem::pointer)
                .isEqualTo("/transforms/0/config/secrets/0" + expected);
    }

    @Test
    void sourceIsRequired() {
        assertThat(harness("{inject: {header: X}}").problems())
                .extracting(ConfigProblem::pointer)
                .containsExactly("/transforms/0/config/secrets/0/source");
    }

    @Test
    void allMistakesAreReportedTogetherAndShowNoValues() {
        List<ConfigProblem> problems = harness(
                        "{" + SOURCE
                                + ", proxy_value: CLASSIFIED, inject: {header: 'a b', formatter: '{{.CLASSIFIED'}}",
                        "{" + SOURCE + "}",
                        "{" + SOURCE + ", replace: {proxy_value: '', match_headers: ['x y']}}")
                .problems();

        assertThat(problems)
                .extracting(ConfigProblem::pointer)
                .containsExactlyInAnyOrder(
                        "/transforms/0/config/secrets/0",
                        "/transforms/0/config/secrets/0/inject/header",
                        "/transforms/0/config/secrets/0/inject/formatter",
                        "/transforms/0/config/secrets/1",
                        "/transforms/0/config/secrets/2/replace/proxy_value",
                        "/transforms/0/config/secrets/2/replace/match_headers/0");
        assertThat(problems).allSatisfy(problem -> assertThat(problem.message()).isNotBlank());
    }

    @Test
    void noSecretsMeansNothingToDo() {
        try (TransformHarness harness =
                TransformHarness.of("transforms: [{name: secrets}]").start()) {
            assertThat(harness.send(TestRequest.get("https://a.test/")))
                    .isForwarded()
                    .hasNoAnnotations("secrets");
        }
    }
}

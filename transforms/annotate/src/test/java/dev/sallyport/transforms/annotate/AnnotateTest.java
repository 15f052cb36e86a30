package dev.sallyport.transforms.annotate;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.pipeline.TransformOrderLint;
import dev.sallyport.testkit.CredentialInjector;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** docs/spec/proxy-config.md, section "annotate"; docs/spec/decisions.md, section 4. */
class AnnotateTest {

    private static final String URL = "https://api.example.com/v1";

    private static TransformHarness.Builder builder(String config) {
        return TransformHarness.of("transforms: [{name: annotate, config: " + config + "}]");
    }

    private static TransformHarness harness(String headers) {
        return builder("{annotations: [{rules: [{host: api.example.com}], headers: " + headers + "}]}")
                .start();
    }

    @Test
    void valueIsRecordedUnderTheCanonicalName() {
        try (TransformHarness harness = harness("[x-request-ID, User-Agent]")) {
            ExchangeResult result = harness.send(
                    TestRequest.get(URL).header("X-REQUEST-id", "id 1").header("user-agent", "curl"));

            assertThat(result.annotations("annotate"))
                    .isEqualTo(Map.of("header:X-Request-Id", "id 1", "header:User-Agent", "curl"));
            assertThat(result.sent().headers().names()).containsExactly("Host", "X-REQUEST-id", "user-agent");
        }
    }

    @Test
    void repeatedHeaderIsRecordedAsAListInOrder() {
        try (TransformHarness harness = harness("[X-Tag]")) {
            assertThat(harness.send(TestRequest.get(URL)
                            .header("X-Tag", "b, c")
                            .header("x-tag", "a")
                            .header("X-TAG", "")))
                    .hasAnnotation("annotate", "header:X-Tag", List.of("b, c", "a", ""))
                    .hasForwardedHeader("X-Tag", "b, c", "a", "");
        }
    }

    @Test
    void headerThatIsNotThereIsNotRecordedAndAnEmptyOneIs() {
        try (TransformHarness harness = harness("[X-Absent, X-Empty]")) {
            assertThat(harness.send(TestRequest.get(URL).header("X-Empty", "")).annotations("annotate"))
                    .isEqualTo(Map.of("header:X-Empty", ""));
        }
    }

    @Test
    void hostIsAHeader() {
        try (TransformHarness harness = harness("[host]")) {
            assertThat(harness.send(TestRequest.get(URL))).hasAnnotation("annotate", "header:Host", "api.example.com");
        }
    }

    @Test
    void longValuesAreCutAndThatIsSaid() {
        String longest = "x".repeat(Annotate.MAX_VALUE);
        try (TransformHarness harness = harness("[X-Long, X-Longest, X-Many]")) {
            ExchangeResult result = harness.send(TestRequest.get(URL)
                    .header("X-Long", longest + "y")
                    .header("X-Longest", longest)
                    .header("X-Many", "1")
                    .header("X-Many", longest + "yy"));

            assertThat(result)
                    .hasAnnotation("annotate", "header:X-Long", longest)
                    .hasAnnotation("annotate", "header:X-Longest", longest)
                    .hasAnnotation("annotate", "header:X-Many", List.of("1", longest))
                    .hasAnnotation("annotate", "truncated", List.of("header:X-Long", "header:X-Many"))
                    .hasForwardedHeader("X-Long", longest + "y");
        }
    }

    @Test
    void everyAnnotationThatMatchesCounts() {
        String config = """
                {annotations: [
                  {rules: [{host: "*.example.com", methods: [GET]}], headers: [X-A]},
                  {rules: [{host: other.example.com}, {host: api.example.com, paths: [/v1]}], headers: [X-B, X-A]},
                  {rules: [{host: api.example.com, paths: [/v2]}], headers: [X-C]}]}""";
        try (TransformHarness harness = builder(config).start()) {
            TestRequest request =
                    TestRequest.get(URL).header("X-A", "1").header("X-B", "2").header("X-C", "3");

            assertThat(harness.send(request).annotations("annotate"))
                    .isEqualTo(Map.of("header:X-A", "1", "header:X-B", "2"));
        }
    }

    @Test
    void otherDestinationsAndPassedThroughConnectionsAreLeftAlone() {
        try (TransformHarness harness = harness("[Host]")) {
            assertThat(harness.send(TestRequest.get("https://other.example.com/")))
                    .isForwarded()
                    .hasNoAnnotations("annotate");
            assertThat(harness.send(TestRequest.hostOnly("api.example.com")))
                    .isForwarded()
                    .hasNoAnnotations("annotate");
        }
    }

    @Test
    void nothingToRecordIsNoFault() {
        for (String config : List.of(
                "{}", "{annotations: []}", "{annotations: [{rules: [{host: api.example.com}], headers: []}]}")) {
            try (TransformHarness harness = builder(config).start()) {
                assertThat(harness.send(TestRequest.get(URL))).isForwarded().hasNoAnnotations("annotate");
            }
        }
    }

    @Test
    void faultsOfTheConfigurationAreToldTogether() {
        List<ConfigProblem> problems = builder("{annotations: [{rules: [], headers: [':authority', Host, '']}]}")
                .problems();

        assertThat(problems)
                .extracting(problem -> problem.pointer() + ": " + problem.message() + " (" + problem.expected() + ")")
                .containsExactlyInAnyOrder(
                        "/transforms/0/config/annotations/0/rules: no rule (at least one rule)",
                        "/transforms/0/config/annotations/0/headers/0: not a header name (a header name such as X-Request-Id)",
                        "/transforms/0/config/annotations/0/headers/2: not a header name (a header name such as X-Request-Id)");
    }

    @Test
    void annotationWithoutRulesOrHeadersIsAFault() {
        assertThat(builder("{annotations: [{}]}").problems())
                .extracting(ConfigProblem::pointer)
                .hasSize(2)
                .allMatch(pointer -> pointer.startsWith("/transforms/0/config/annotations/0"));
    }

    // Credentials.

    private static TransformHarness afterInjector(String more) {
        return TransformHarness.of("""
                        transforms:
                          - {name: injector, config: {}}
                          - name: annotate
                            config: {annotations: [{rules: [{host: api.example.com}], headers: [X-Key, X-Other]}]%s}
                        """.formatted(more))
                .factory(new CredentialInjector())
                .start();
    }

    @Test
    void credentialsOfEarlierTransformsAreMasked() {
        try (TransformHarness harness = afterInjector("")) {
            assertThat(harness.send(TestRequest.get(URL).header("X-Other", "seen")))
                    .hasForwardedHeader("X-Key", CredentialInjector.CREDENTIAL)
                    .hasAnnotation("annotate", "header:X-Key", "***")
                    .hasAnnotation("annotate", "header:X-Other", "seen")
                    .doesNotShow(CredentialInjector.CREDENTIAL);
        }
    }

    @Test
    void credentialsAreRecordedOnlyWhereTheOperatorSaysSo() {
        try (TransformHarness harness = afterInjector(", allow_disclosure: true")) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasAnnotation("annotate", "header:X-Key", CredentialInjector.CREDENTIAL);
        }
    }

    @Test
    void checkNamesTheTwoEntriesToExchange() {
        assertThat(warnings(false))
                .containsExactly("transforms[1] (annotate) sees the request headers after "
                        + "transforms[0] (injector) has put credentials in; they are masked; exchange the two entries");
        assertThat(warnings(true))
                .containsExactly("transforms[1] (annotate) discloses the credentials that "
                        + "transforms[0] (injector) has put into the request headers; exchange the two entries");
    }

    private static List<String> warnings(boolean disclosure) {
        ConfigResult result = ConfigLoader.load(
                "test.yaml",
                """
                dns: {enabled: false}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms:
                  - {name: injector, config: {}}
                  - name: annotate
                    config: {allow_disclosure: %s, annotations: [{rules: [{host: "*"}], headers: [X]}]}
                """.formatted(disclosure),
                Path.of(""),
                Map.of(),
                PluginCatalog.of(List.of(new CredentialInjector(), new AnnotateFactory()), List.of()));
        return TransformOrderLint.check(((ConfigResult.Loaded) result).config().transforms()).stream()
                .map(TransformOrderLint.Warning::text)
                .toList();
    }
}

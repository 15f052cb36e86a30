package dev.sallyport.transforms.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is allowed and probably not meant. */
class DoubtsTest {

    /** Nobody reads it. */
    private static final class Unread implements SecretSourceFactory<Unread.Nothing> {

        record Nothing() {}

        @Override
        public Descriptor<Nothing> descriptor() {
            return Descriptor.of("unread", Nothing.class, "Is not read.");
        }

        @Override
        public SecretSource create(Nothing config, SourceContext context) {
            throw new AssertionError("read");
        }
    }

    private static List<ConfigProblem> doubts(String formatter) {
        return doubtsOf("inject: {header: Authorization, formatter: '%s'}".formatted(formatter));
    }

    private static List<ConfigProblem> doubtsOf(String entryFields) {
        ConfigResult result = ConfigLoader.load(
                "f.yaml",
                """
                dns: {enabled: false}
                tls: {ca_cert: ca.pem, ca_key: ca.key}
                transforms:
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: unread}
                          %s
                """.formatted(entryFields.replace("; ", "\n          ")),
                Path.of("."),
                Map.of(),
                PluginCatalog.of(List.of(new SecretsFactory()), List.of(new Unread())));
        List<ConfigProblem> doubts = new ArrayList<>();
        for (TransformEntry<?> entry : ((ConfigResult.Loaded) result).config().transforms()) {
            entry.doubts(doubts::add);
        }
        return doubts;
    }

    @Test
    void aFormatterThatLeavesTheSecretOutIsDoubtful() {
        assertThat(doubts("Bearer {{\"token\"}}"))
                .singleElement()
                .satisfies(doubt ->
                        assertThat(doubt.pointer()).isEqualTo("/transforms/0/config/secrets/0/inject/formatter"))
                .satisfies(doubt -> assertThat(doubt.message()).contains("does not use the secret"));
        assertThat(doubts("Bearer .Value")).hasSize(1);
    }

    @Test
    void oneThatUsesItSomewhereIsNot() {
        assertThat(doubts("Bearer {{.Value}}")).isEmpty();
        assertThat(doubts("{{if .Value}}Basic {{base64 \"u:\" .Value}}{{end}}")).isEmpty();
    }

    /** What goes into any header comes back from there, in forms that nobody may know. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "replace: {proxy_value: P}; rules: [{host: httpbin.org}]",
                "replace: {proxy_value: P}; rules: [{host: HTTPBIN.org}]",
                "replace: {proxy_value: P}; rules: [{host: api.test}, {host: postman-echo.com, paths: [/get]}]",
                "replace: {proxy_value: P}; rules: [{host: httpbingo.org, ports: [443], scheme: https}]",
                "replace: {proxy_value: P}; rules: [{host: '*'}]",
                "replace: {proxy_value: P}; rules: [{host: '*.org'}]",
                "replace: {proxy_value: P}; rules: [{host: echo.example.com}]",
                "replace: {proxy_value: P}",
            })
    void allHeadersAtAHostThatEchoesAreDoubtful(String entry) {
        assertThat(doubtsOf(entry)).singleElement().satisfies(doubt -> {
            assertThat(doubt.pointer()).isEqualTo("/transforms/0/config/secrets/0/replace/match_headers");
            assertThat(doubt.message()).contains("sends back what it receives");
            assertThat(doubt.expected()).contains("[Authorization]");
        });
    }

    @Test
    void theOlderSpellingIsDoubtfulAtItsOwnPlace() {
        assertThat(doubtsOf("proxy_value: P"))
                .extracting(ConfigProblem::pointer)
                .containsExactly("/transforms/0/config/secrets/0/match_headers");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "replace: {proxy_value: P}; rules: [{host: api.example.com}]",
                "replace: {proxy_value: P}; rules: [{host: '*.example.com'}]",
                "replace: {proxy_value: P}; rules: [{cidr: 10.0.0.0/8}]",
                "replace: {proxy_value: P, match_headers: [Authorization]}; rules: [{host: httpbin.org}]",
                "replace: {proxy_value: P, scan_headers: false, match_query: true}; rules: [{host: httpbin.org}]",
                "inject: {header: Authorization}; rules: [{host: httpbin.org}]",
            })
    void elsewhereTheyAreNot(String entry) {
        assertThat(doubtsOf(entry)).isEmpty();
    }
}

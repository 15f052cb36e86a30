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
                          inject: {header: Authorization, formatter: '%s'}
                """.formatted(formatter),
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
}

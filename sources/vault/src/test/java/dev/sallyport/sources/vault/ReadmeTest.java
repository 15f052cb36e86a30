package dev.sallyport.sources.vault;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.FieldTable;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The module's documentation: its tables are those of the records, its example is one. */
class ReadmeTest {

    private static final List<SecretSourceFactory<?>> FACTORIES =
            List.of(new VaultConnectSourceFactory(), new VaultSourceFactory());
    private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final String OTHER_SECTIONS = "dns: {enabled: false}\ntls: {mode: sni-only}\n";

    private final String text = Files.readString(Path.of("README.md"));

    ReadmeTest() throws Exception {}

    /** As much of the transform {@code secrets} as the examples use. */
    private record Secrets() implements TransformFactory<Secrets.Config> {

        record Config(@JsonProperty(required = true) List<Entry> secrets) {}

        record Entry(@JsonProperty(required = true) SecretRef source, Inject inject, List<Rule> rules) {}

        record Inject(String header, String formatter) {}

        @Override
        public Descriptor<Config> descriptor() {
            return Descriptor.of("secrets", Config.class, "For tests.");
        }

        @Override
        public Transform create(Config config, BuildContext context) {
            throw new AssertionError("not expected");
        }
    }

    @Test
    void theTablesAreThoseOfTheRecords() {
        for (SecretSourceFactory<?> factory : FACTORIES) {
            String table = FieldTable.markdown(factory.descriptor().configType());
            assertThat(text).as("expected in README.md:\n" + table).contains(table);
        }
    }

    @Test
    void theExampleUsesBothSourcesAndIsRight() {
        Matcher example = EXAMPLE.matcher(text);
        assertThat(example.find()).isTrue();

        ConfigResult result = ConfigLoader.load(
                "README.md",
                example.group(1) + OTHER_SECTIONS,
                Path.of(""),
                Map.of(),
                PluginCatalog.of(List.of(new Secrets()), FACTORIES));

        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        for (SecretSourceFactory<?> factory : FACTORIES) {
            assertThat(example.group(1))
                    .contains("type: " + factory.descriptor().name() + ",");
        }
    }
}

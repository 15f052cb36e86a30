package dev.sallyport.testkit;

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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A contract test for the documentation of a module of secret sources: {@code README.md} in the module's folder shows
 * the fields of the config records, and its first YAML example is valid and uses every source. Extend it in a test of
 * the module:
 *
 * <pre>{@code
 * class ReadmeTest extends SourceContract {
 *     ReadmeTest() {
 *         super(new MySourceFactory());
 *     }
 * }
 * }</pre>
 */
public abstract class SourceContract {

    private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final String OTHER_SECTIONS = "dns: {enabled: false}\ntls: {mode: sni-only}\n";

    private final List<SecretSourceFactory<?>> factories;

    /** The contract of a module with these sources. */
    protected SourceContract(SecretSourceFactory<?>... factories) {
        this.factories = List.of(factories);
    }

    /** The part of the transform {@code secrets} that the examples use. */
    private record Secrets() implements TransformFactory<Secrets.Config> {

        record Config(@JsonProperty(required = true) List<Entry> secrets) {}

        record Entry(
                @JsonProperty(required = true) SecretRef source,
                @Nullable Inject inject,
                List<Rule> rules) {}

        record Inject(@Nullable String header, @Nullable String formatter) {}

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
    void theTablesAreThoseOfTheRecords() throws IOException {
        String text = readme();
        for (SecretSourceFactory<?> factory : factories) {
            String table = FieldTable.markdown(factory.descriptor().configType());
            assertThat(text).as("expected in README.md:\n" + table).contains(table);
        }
    }

    @Test
    void theExampleUsesEverySourceAndIsRight() throws IOException {
        Matcher example = EXAMPLE.matcher(readme());
        assertThat(example.find()).isTrue();

        ConfigResult result = ConfigLoader.load(
                "README.md",
                example.group(1) + OTHER_SECTIONS,
                Path.of(""),
                Map.of(),
                PluginCatalog.of(List.of(new Secrets()), factories));

        assertThat(result).isInstanceOf(ConfigResult.Loaded.class);
        for (SecretSourceFactory<?> factory : factories) {
            assertThat(example.group(1))
                    .contains("type: " + factory.descriptor().name() + ",");
        }
    }

    private static String readme() throws IOException {
        return Files.readString(Path.of("README.md"));
    }
}

package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a check says of values that it can look at. */
class LocalSecretsTest {

    record Holder(@JsonProperty(required = true) SecretRef source) {}

    record Variable(@JsonProperty(required = true) String var) {}

    private static final TransformFactory<Holder> HOLDER = new TransformFactory<>() {
        @Override
        public Descriptor<Holder> descriptor() {
            return Descriptor.of("holder", Holder.class, "Has a secret.");
        }

        @Override
        public Transform create(Holder config, BuildContext context) {
            InlineTransform transform = request -> Decision.proceed();
            return transform;
        }
    };

    private static SecretSourceFactory<Variable> source(String type, boolean local) {
        return new SecretSourceFactory<>() {
            @Override
            public Descriptor<Variable> descriptor() {
                return Descriptor.of(type, Variable.class, "Reads a variable.");
            }

            @Override
            public boolean local(Variable config) {
                return local;
            }

            @Override
            public SecretSource create(Variable config, SourceContext context) {
                return new SecretSource() {
                    @Override
                    public String name() {
                        return config.var();
                    }

                    @Override
                    public SecretValue read() throws SecretException {
                        String value = context.environment(config.var());
                        if (value == null) {
                            throw new SecretException("not set");
                        }
                        if (!local || value.equals("fault")) {
                            throw new IllegalStateException("read s3cret");
                        }
                        return SecretValue.of(value);
                    }
                };
            }
        };
    }

    @TempDir
    Path folder;

    private List<String> warnings(String source, String value) throws Exception {
        String config = "transforms:\n  - name: holder\n    config:\n      source: " + source + "\n";
        Path file = Files.writeString(
                folder.resolve("proxy.yaml"), TestProxy.builder(folder).yaml() + config);
        PluginCatalog catalog = PluginCatalog.of(List.of(HOLDER), List.of(source("here", true), source("far", false)));
        ConfigResult read = ConfigLoader.load(file, Map.of(), catalog);
        ConfigResult checked = EgressProxy.check(read, catalog, Map.of("TOKEN", value));
        assertThat(checked.problems()).isEmpty();
        return checked.warnings().stream()
                .map(ConfigProblem::toString)
                .map(warning -> warning.substring(warning.indexOf("proxy.yaml")))
                .filter(warning -> warning.contains("/source"))
                .toList();
    }

    @Test
    void aValueThatEndsInWhiteSpaceIsAWarningAtItsEntry() throws Exception {
        long line = TestProxy.builder(folder).yaml().lines().count() + 4;

        assertThat(warnings("{type: here, var: TOKEN}", "s3cret\n"))
                .containsExactly(
                        "proxy.yaml:" + line + ":15: /transforms/0/config/source: secret TOKEN: its value begins or"
                                + " ends with white space, which is sent with it (expected: a value without, or trim: true for"
                                + " a file)");
        assertThat(warnings("{type: here, var: TOKEN, json_key: a}", "{\"a\": \" s3cret\"}"))
                .hasSize(1);
    }

    @Test
    void othersAreNot() throws Exception {
        assertThat(warnings("{type: here, var: TOKEN}", "s3cret")).isEmpty();
        assertThat(warnings("{type: here, var: TOKEN}", "-----BEGIN\nx\n")).isEmpty();
        assertThat(warnings("{type: here, var: TOKEN, json_key: a}", "{\"a\": \"s3cret\"}\n"))
                .isEmpty();
    }

    @Test
    void whatCannotBeReadHereIsAWarningUnlessItIsOptional() throws Exception {
        assertThat(warnings("{type: here, var: OTHER}", ""))
                .singleElement()
                .asString()
                .endsWith(
                        "/source: it cannot be read here: secret OTHER: not set (expected: a value when the proxy starts,"
                                + " which it does not without)");
        assertThat(warnings("{type: here, var: TOKEN, json_key: b}", "{\"a\": \"s3cret\"}"))
                .singleElement()
                .asString()
                .contains("it cannot be read here: secret TOKEN: json_key")
                .doesNotContain("s3cret");
        assertThat(warnings("{type: here, var: OTHER, optional: true}", "")).isEmpty();
    }

    @Test
    void whatIsElsewhereIsNotRead() throws Exception {
        assertThat(warnings("{type: far, var: TOKEN}", "s3cret\n")).isEmpty();
    }

    @Test
    void aSourceThatFailsIsToldWithoutWhatItSays() throws Exception {
        assertThat(warnings("{type: here, var: TOKEN}", "fault"))
                .singleElement()
                .asString()
                .contains("the source failed when it was read: IllegalStateException")
                .doesNotContain("s3cret");
    }
}

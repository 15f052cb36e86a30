package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Plug-ins that are configured and never run. */
final class Plugins {

    private Plugins() {}

    /** Hosts that are let through. */
    record Gate(
            @JsonPropertyDescription("Host globs.") List<String> domains,
            @JsonPropertyDescription("Rules.") List<Rule> rules,
            @JsonPropertyDescription("Log | do not block.") boolean warn) {}

    /** One component of every type. */
    record Probe(
            @JsonProperty(required = true) String name,

            @JsonProperty(defaultValue = "3") @Range(min = "1", max = "9")
            int count,

            @Nullable Long big,
            @JsonProperty(defaultValue = "0.5") double share,
            @JsonProperty(defaultValue = "8s") Duration timeout,

            @JsonProperty(defaultValue = "-1s") @Range(min = "-1m", max = "1m")
            Duration skew,

            @Nullable Path certFile,
            @Nullable Boolean maybe,
            @JsonProperty(defaultValue = "dark-green") Colour colour,

            @JsonProperty(value = "renamed-key", defaultValue = "red,blue")
            List<Colour> colours,

            @Nullable Rule only,
            @Nullable SecretRef token,
            Map<String, SecretRef> credentials,
            Map<String, Integer> weights,
            @Nullable Object equals,
            List<Object> in,
            Breaker breaker,
            List<Integer> ports,
            String apiKey,
            Map<String, String> settings) {

        /** Colours. */
        enum Colour {
            RED,
            BLUE,
            @JsonProperty("dark-green")
            DARK_GREEN
        }
    }

    /** A block with defaults. */
    record Breaker(
            @JsonProperty(defaultValue = "5") int failures,
            @JsonProperty(defaultValue = "10s") Duration cooldown) {}

    /** A section of its own. */
    record Mcp(McpError error, List<Server> servers) {}

    /** Nested fields. */
    record McpError(
            @JsonProperty(defaultValue = "-32001") int code,
            @JsonProperty(defaultValue = "blocked") String message) {}

    /** A server. */
    record Server(@JsonProperty(required = true) String name, List<Rule> rules) {}

    /** A variable of the environment. */
    record Env(
            @JsonProperty(required = true) @JsonPropertyDescription("Environment variable.")
            String var) {}

    /** A file. */
    record FileSource(
            @JsonProperty(required = true) Path path,
            boolean trim,
            @JsonProperty(defaultValue = "0") Duration ttl) {}

    static PluginCatalog catalog() {
        return PluginCatalog.of(
                List.of(
                        transform(Descriptor.of("gate", Gate.class, "Lets hosts through."), Plugins::validateGate),
                        transform(Descriptor.of("probe", Probe.class, "Has everything."), (config, problems) -> {}),
                        transform(Descriptor.section("mcp", Mcp.class, "Guards tools."), (config, problems) -> {})),
                List.of(source("env", Env.class), source("file", FileSource.class)));
    }

    private static void validateGate(Gate gate, Problems problems) {
        for (int i = 0; i < gate.domains().size(); i++) {
            if (gate.domains().get(i).equals("bad")) {
                problems.add("/domains/" + i, "a bad domain", "a good one");
            }
            if (gate.domains().get(i).equals("crash")) {
                throw new IllegalStateException("s3cret");
            }
        }
    }

    static <C extends Record> TransformFactory<C> transform(Descriptor<C> descriptor, BiConsumer<C, Problems> check) {
        return new TransformFactory<>() {
            @Override
            public Descriptor<C> descriptor() {
                return descriptor;
            }

            @Override
            public void validate(C config, Problems problems) {
                check.accept(config, problems);
            }

            @Override
            public Transform create(C config, BuildContext context) {
                throw new UnsupportedOperationException();
            }
        };
    }

    static <C extends Record> SecretSourceFactory<C> source(String name, Class<C> type) {
        return new SecretSourceFactory<>() {
            @Override
            public Descriptor<C> descriptor() {
                return Descriptor.of(name, type, "Reads " + name + ".");
            }

            @Override
            public SecretSource create(C config, SourceContext context) {
                throw new UnsupportedOperationException();
            }
        };
    }
}

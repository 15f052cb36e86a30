package dev.sallyport.transforms.grpc;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Rule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Configuration of {@code grpc}. */
public record GrpcConfig(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Its name in audit records and messages; no two have the same.")
        String name,

        @JsonProperty(required = true) @JsonPropertyDescription("Where the server listens: `host:port`.")
        String target,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Whether the server is sent the content of requests, whole and without its content coding. Without it, only heads.")
        boolean sendRequestBody,

        @JsonProperty(defaultValue = "false") @JsonPropertyDescription("The same for responses.")
        boolean sendResponseBody,

        @JsonProperty(defaultValue = "[]")
        @JsonPropertyDescription("What the server is asked about; empty means everything.")
        List<Rule> rules,

        @JsonPropertyDescription("How the server is spoken to; plaintext unless it is enabled.")
        Tls tls,

        @JsonProperty(defaultValue = "5s") @JsonPropertyDescription("Limit of one call; more than 0. Beyond it: 503.")
        Duration timeout,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Whether the server is shown credentials that earlier transforms have put in. Without it they are masked.")
        boolean allowDisclosure) {

    public GrpcConfig {
        rules = List.copyOf(rules);
    }

    /** TLS towards the server. */
    public record Tls(
            @JsonProperty(defaultValue = "false") @JsonPropertyDescription("Whether TLS is spoken.")
            boolean enabled,

            @JsonPropertyDescription(
                    "PEM file with the authorities that the server's certificate may be of, instead of the system's. Relative to the configuration, like the others.")
            @Nullable Path caCert,

            @JsonPropertyDescription("PEM file with the certificate that the proxy shows. Together with `key`.")
            @Nullable Path cert,

            @JsonPropertyDescription("PEM file with its private key, not encrypted.") @Nullable Path key) {

        /** Those that are configured, by their place. */
        Map<String, Path> files() {
            Map<String, Path> files = new LinkedHashMap<>();
            put(files, "/tls/ca_cert", caCert);
            put(files, "/tls/cert", cert);
            put(files, "/tls/key", key);
            return files;
        }

        private static void put(Map<String, Path> files, String pointer, @Nullable Path file) {
            if (file != null) {
                files.put(pointer, file);
            }
        }
    }
}

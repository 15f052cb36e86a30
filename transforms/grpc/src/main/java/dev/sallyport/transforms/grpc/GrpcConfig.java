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
                "Send the server the content of requests, whole and without its content coding, and not only heads.")
        boolean sendRequestBody,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription("Send the server the content of responses, likewise.")
        boolean sendResponseBody,

        @JsonProperty(defaultValue = "[]")
        @JsonPropertyDescription("The requests that the server is asked about; empty means all.")
        List<Rule> rules,

        @JsonPropertyDescription("TLS to the server; plaintext unless enabled.")
        Tls tls,

        @JsonProperty(defaultValue = "5s")
        @JsonPropertyDescription("Time limit of one call; more than 0. A call that takes longer is answered with 503.")
        Duration timeout,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Show the server credentials that earlier transforms have put in, instead of masking them.")
        boolean allowDisclosure) {

    public GrpcConfig {
        rules = List.copyOf(rules);
    }

    /** TLS towards the server. */
    public record Tls(
            @JsonProperty(defaultValue = "false") @JsonPropertyDescription("Use TLS.")
            boolean enabled,

            @JsonPropertyDescription(
                    "PEM file with the authorities that may have issued the server's certificate, instead of the system's. Relative to the configuration file, like the other paths.")
            @Nullable Path caCert,

            @JsonPropertyDescription("PEM file with the certificate that the proxy presents. Requires `key`.") @Nullable Path cert,

            @JsonPropertyDescription("PEM file with the private key of `cert`, not encrypted.") @Nullable Path key) {

        /** The configured files, by their keys in the configuration. */
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

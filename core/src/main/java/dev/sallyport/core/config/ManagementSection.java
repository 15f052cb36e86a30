package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.spi.Problems;

/** Section {@code management}. */
public record ManagementSection(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Address of the management API; loopback unless it is on a network of its own.")
        ListenAddress listen,

        @JsonProperty(defaultValue = "PROXY_MANAGEMENT_API_KEY")
        @JsonPropertyDescription("Environment variable that holds the expected bearer token.")
        @NoSecret
        String apiKeyEnv)
        implements SelfValidating {

    @Override
    public void check(Problems problems) {
        if (!apiKeyEnv.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            problems.add("/api_key_env", "not the name of a variable", "letters, digits and underscores");
        }
    }

    @Override
    public void warn(Problems warnings) {
        if (listen.isWildcard()) {
            warnings.add(
                    "/listen",
                    "the management API, which is not encrypted, is open on all interfaces",
                    "127.0.0.1:" + listen.port() + ", or the address of a separate network");
        }
    }
}

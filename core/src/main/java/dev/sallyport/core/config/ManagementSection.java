package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Section {@code management}. */
public record ManagementSection(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Address of the management API; loopback unless it is on a network of its own.")
        ListenAddress listen,

        @JsonProperty(defaultValue = "PROXY_MANAGEMENT_API_KEY")
        @JsonPropertyDescription("Environment variable that holds the expected bearer token.")
        String apiKeyEnv) {}

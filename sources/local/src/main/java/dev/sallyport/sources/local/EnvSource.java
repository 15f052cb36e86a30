package dev.sallyport.sources.local;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;

/**
 * Configuration of the source {@code env}.
 *
 * @param var the environment variable
 */
public record EnvSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Environment variable of the proxy process that holds the value.")
        @NoSecret
        String var) {}

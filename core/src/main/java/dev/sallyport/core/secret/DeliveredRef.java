package dev.sallyport.core.secret;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;

/**
 * Configuration of the source {@code control_plane}.
 *
 * @param ref the global id of the secret
 */
public record DeliveredRef(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Global id of a secret that is delivered with the policies.")
        @NoSecret
        String ref) {}

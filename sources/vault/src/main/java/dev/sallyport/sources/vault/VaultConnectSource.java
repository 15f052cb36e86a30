package dev.sallyport.sources.vault;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import java.time.Duration;

/**
 * Configuration of the source {@code vault_connect}.
 *
 * @param secretRef which field of which item
 * @param hostEnv the environment variable that holds the URL of the server
 * @param tokenEnv the environment variable that holds the access token
 * @param ttl how often the field is read again; zero for once
 */
public record VaultConnectSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription(
                "Field to read: `op://<vault>/<item>/[<section>/]<field>`, each a name, percent-encoded, or an id.")
        @NoSecret
        String secretRef,

        @JsonProperty(defaultValue = "VAULT_CONNECT_HOST")
        @JsonPropertyDescription("Environment variable of the proxy process that holds the URL of the Connect server.")
        @NoSecret
        String hostEnv,

        @JsonProperty(defaultValue = "VAULT_CONNECT_TOKEN")
        @JsonPropertyDescription("Environment variable of the proxy process that holds the access token.")
        @NoSecret
        String tokenEnv,

        @JsonProperty(defaultValue = "0s")
        @JsonPropertyDescription(
                "How often the field is read again; `0s` reads it only at the start and at every reload. A reload always reads it.")
        Duration ttl) {}

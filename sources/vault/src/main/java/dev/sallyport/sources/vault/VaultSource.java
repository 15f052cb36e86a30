package dev.sallyport.sources.vault;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import java.time.Duration;

/**
 * Configuration of the source {@code vault}.
 *
 * @param secretRef which field of which item
 * @param tokenEnv the environment variable that holds the token of a service account
 * @param command the vendor's program: a name on the PATH, or a path
 * @param ttl how often the field is read again; zero for once
 */
public record VaultSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription(
                "Field to read: `op://<vault>/<item>/[<section>/]<field>`, each a name, percent-encoded, or an id.")
        @NoSecret
        String secretRef,

        @JsonProperty(defaultValue = "VAULT_SERVICE_ACCOUNT_TOKEN")
        @JsonPropertyDescription("Environment variable of the proxy process that holds the token of a service account.")
        @NoSecret
        String tokenEnv,

        @JsonProperty(defaultValue = "op")
        @JsonPropertyDescription("The vendor's command: a name on the `PATH` of the proxy, or a path.")
        @NoSecret
        String command,

        @JsonProperty(defaultValue = "0s")
        @JsonPropertyDescription(
                "How often the field is read again; `0s` reads it only at the start and at every reload. A reload always reads it.")
        Duration ttl) {}

package dev.sallyport.sources.aws;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import java.time.Duration;

/**
 * Configuration of the source {@code cloud_ssm}.
 *
 * @param name name or ARN of the parameter
 * @param region the region; empty for the one that the SDK finds
 * @param withDecryption whether an encrypted parameter is decrypted
 * @param endpoint the URL to use instead of the region's usual endpoint; empty for that one
 * @param ttl how often the parameter is read again; zero for once
 */
public record CloudSsmSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Name or ARN of the parameter, with `:version` or `:label` if need be.")
        @NoSecret
        String name,

        @JsonPropertyDescription(
                "Region to ask; without it the one that the SDK finds: `AWS_REGION`, profile, instance.")
        @NoSecret
        String region,

        @JsonProperty(defaultValue = "true")
        @JsonPropertyDescription("Decrypt an encrypted parameter; otherwise its ciphertext is the value.")
        boolean withDecryption,

        @JsonPropertyDescription(
                "URL to use instead of the region's usual endpoint: a VPC endpoint, a private gateway, a test.")
        @NoSecret
        String endpoint,

        @JsonProperty(defaultValue = "0s")
        @JsonPropertyDescription(
                "How often the parameter is read again; `0s` reads it only at the start and at every reload. A reload always reads it.")
        Duration ttl) {}

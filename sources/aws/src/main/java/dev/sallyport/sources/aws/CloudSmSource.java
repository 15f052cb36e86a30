package dev.sallyport.sources.aws;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.NoSecret;
import java.time.Duration;

/**
 * Configuration of the source {@code cloud_sm}.
 *
 * @param secretId name or ARN of the secret
 * @param region the region; empty for the one that the SDK finds
 * @param endpoint the URL to use instead of the region's usual endpoint; empty for that one
 * @param ttl how often the secret is read again; zero for once
 */
public record CloudSmSource(
        @JsonProperty(required = true)
        @JsonPropertyDescription("Name or ARN of the secret in AWS Secrets Manager.")
        @NoSecret
        String secretId,

        @JsonPropertyDescription(
                "Region to ask; without it the one that the SDK finds: `AWS_REGION`, profile, instance.")
        @NoSecret
        String region,

        @JsonPropertyDescription(
                "URL to use instead of the region's usual endpoint: a VPC endpoint, a private gateway, a test.")
        @NoSecret
        String endpoint,

        @JsonProperty(defaultValue = "0s")
        @JsonPropertyDescription(
                "How often the secret is read again; `0s` reads it only at the start and at every reload. A reload always reads it.")
        Duration ttl) {}

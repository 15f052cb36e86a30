package dev.sallyport.feed;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.core.config.ByteSize;
import dev.sallyport.spi.NoSecret;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code control_plane}.
 *
 * @param cacheDir null to keep nothing
 * @param cacheKeyFile null for {@code cache.key} in {@code cacheDir}
 * @param cacheKmsKeyId null for a key in a file
 * @param spoolDir null for {@code spool} in {@code cacheDir}, or none without that
 * @param spoolBytes null for the default
 * @param caCert null for the authorities that the JDK trusts
 */
public record ControlPlaneConfig(
        @JsonProperty(required = true)
        @JsonPropertyDescription(
                "Address of the control plane, such as `https://control.example.com`. Without TLS on loopback only.")
        String url,

        @NoSecret
        @JsonProperty(defaultValue = "SALLYPORT_PROXY_TOKEN")
        @JsonPropertyDescription("Environment variable that holds the token of this proxy.")
        String tokenEnv,

        @JsonPropertyDescription(
                "Folder in which the last snapshot is kept, encrypted, for starts while the control plane is away. Nothing is kept when unset.")
        @Nullable Path cacheDir,

        @NoSecret
        @JsonPropertyDescription(
                "Path of the key with which it is kept, made with mode 0600 if it is not there. `cache.key` in `cache_dir` when unset.")
        @Nullable Path cacheKeyFile,

        @NoSecret
        @JsonPropertyDescription(
                "Identifier, ARN or alias of a symmetric key of AWS KMS, which encrypts that key instead: `cache.key.kms` in `cache_dir` can be read with its help alone.")
        @Nullable String cacheKmsKeyId,

        @JsonProperty(defaultValue = "168h")
        @JsonPropertyDescription(
                "How long the last snapshot holds while the control plane cannot be reached; everything is refused afterwards.")
        Duration maxOffline,

        @JsonProperty(defaultValue = "24h")
        @JsonPropertyDescription(
                "How long the values of secrets hold while the control plane cannot be reached; requests that need them are refused afterwards, and others go on.")
        Duration credentialsMaxAge,

        @JsonPropertyDescription(
                "Folder in which events of egress wait for the control plane. `spool` in `cache_dir` when unset; without either, they wait in memory and are lost with the process.")
        @Nullable Path spoolDir,

        @JsonPropertyDescription(
                "How much of them may wait, at least 1MiB: no request is taken while there is no room. 256MiB when unset, 16MiB in memory.")
        @Nullable ByteSize spoolBytes,

        @JsonPropertyDescription("Path of the certificates, in PEM, that vouch for the control plane.") @Nullable Path caCert) {

    private static final String SPOOL = "spool";
    private static final long ON_DISK = 256L << 20;
    private static final long IN_MEMORY = 16L << 20;

    /** Where events wait; null for memory. */
    @Nullable Path spool() {
        if (spoolDir != null) {
            return spoolDir;
        }
        return cacheDir == null ? null : cacheDir.resolve(SPOOL);
    }

    /** How many bytes of events may wait. */
    long spoolCapacity() {
        if (spoolBytes != null) {
            return spoolBytes.bytes();
        }
        return spool() == null ? IN_MEMORY : ON_DISK;
    }
}

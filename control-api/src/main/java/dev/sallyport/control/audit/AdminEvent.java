package dev.sallyport.control.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change that somebody made.
 *
 * @param before the resource before it; null when there was none. Never a secret. More than 16 KiB of JSON stand as
 *     {@code {"bytes", "sha256"}}
 * @param after the resource after it, likewise; null when it is gone
 */
public record AdminEvent(
        String id,
        Instant timestamp,
        Actor actor,
        String action,
        String resource,
        String resourceId,
        @Nullable JsonNode before,
        @Nullable JsonNode after,
        @Nullable String remoteAddr) {

    /** Who it was: both null for the operator of the installation. */
    public record Actor(@Nullable String userId, @Nullable String apiKeyId) {}
}

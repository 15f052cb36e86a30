package dev.sallyport.control.account;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key, without its token.
 *
 * @param prefix how the token begins, so that people tell keys apart
 * @param expiresAt null for never
 */
public record ApiKey(
        String id,
        String name,
        String prefix,
        Instant createdAt,
        @Nullable Instant expiresAt) {}

package dev.sallyport.control.account;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A key with its token, which is shown here and never again. */
public record NewApiKey(
        String id,
        String name,
        String prefix,
        String token,
        Instant createdAt,
        @Nullable Instant expiresAt) {

    ApiKey withoutToken() {
        return new ApiKey(id, name, prefix, createdAt, expiresAt);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "NewApiKey[" + id + "]";
    }
}

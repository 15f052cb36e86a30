package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.toolkit.token.TokenCache;
import java.time.Clock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** State that survives a reload: the token, and the issuer's latest refresh token. Thread-safe. */
final class TokenState implements AutoCloseable {

    private final TokenCache cache;
    private final ReentrantLock refreshing = new ReentrantLock();
    private volatile @Nullable Rotated rotated;

    /** Entries with equal settings share a token. */
    record Key(OauthTokenConfig.Entry minting) {}

    /** @param version the version of the configured refresh token with which the chain began */
    private record Rotated(long version, String refreshToken) {

        @Override
        public String toString() {
            return "Rotated[***]";
        }
    }

    TokenState(Clock clock) {
        this.cache = new TokenCache(clock);
    }

    TokenCache cache() {
        return cache;
    }

    /**
     * Held while a refresh token is in use: issuers that rotate refresh tokens treat one that is used twice as stolen,
     * and a mint with changed credentials may begin before the previous one has ended.
     */
    ReentrantLock refreshing() {
        return refreshing;
    }

    /** The refresh token to use: the issuer's latest, unless the configured one has changed since. */
    @Nullable String refreshToken(long configuredVersion) {
        Rotated last = rotated;
        return last != null && last.version == configuredVersion ? last.refreshToken : null;
    }

    /** Gives up the issuer's latest refresh token if the configured one has changed since. */
    synchronized void forgetFormer(long configuredVersion) {
        Rotated last = rotated;
        if (last != null && last.version != configuredVersion) {
            rotated = null;
        }
    }

    /** Stores a new refresh token; {@link #forgetFormer} follows, because the configured one may have changed meanwhile. */
    synchronized void rotated(long configuredVersion, String refreshToken) {
        rotated = new Rotated(configuredVersion, refreshToken);
    }

    @Override
    public void close() {
        cache.close();
    }

    @Override
    public String toString() {
        return "TokenState[]";
    }
}

package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.toolkit.token.TokenCache;
import java.time.Clock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What survives a reload: the token, and the refresh token that the issuer gave last. Thread-safe. */
final class Kept implements AutoCloseable {

    private final TokenCache cache;
    private final ReentrantLock refreshing = new ReentrantLock();
    private volatile @Nullable Rotated rotated;

    /** Entries that mint alike share a token. */
    record Key(OauthTokenConfig.Entry minting) {}

    /** @param version of the configured refresh token that the first one of the chain was */
    private record Rotated(long version, String refreshToken) {}

    Kept(Clock clock) {
        this.cache = new TokenCache(clock);
    }

    TokenCache cache() {
        return cache;
    }

    /**
     * Held while a refresh token is shown: issuers that replace them take one that is shown twice for stolen, and a mint
     * with changed credentials may begin before the last one has ended.
     */
    ReentrantLock refreshing() {
        return refreshing;
    }

    /** The refresh token to show: the issuer's last one, as long as the configured one has not changed since. */
    @Nullable String refreshToken(long configuredVersion) {
        Rotated last = rotated;
        return last != null && last.version == configuredVersion ? last.refreshToken : null;
    }

    /** Takes over a new refresh token. */
    void rotated(long configuredVersion, String refreshToken) {
        rotated = new Rotated(configuredVersion, refreshToken);
    }

    @Override
    public void close() {
        cache.close();
    }

    @Override
    public String toString() {
        return "Kept[]";
    }
}

package dev.sallyport.control.model;

import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A password with which a workload of an organization tells itself to proxies of the installation.
 *
 * @param user the name of the user who has it
 * @param digest its SHA-256; not to be changed
 * @param expiresAt null for never
 */
public record ProxyPassword(
        String organization,
        String user,
        byte[] digest,
        @Nullable Instant expiresAt) {

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProxyPassword that
                && organization.equals(that.organization)
                && user.equals(that.user)
                && Arrays.equals(digest, that.digest);
    }

    @Override
    public int hashCode() {
        return user.hashCode();
    }

    /** Without the digest. */
    @Override
    public String toString() {
        return "ProxyPassword[" + user + "]";
    }
}

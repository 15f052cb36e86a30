package dev.sallyport.core.net.request;

import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A proxy user who has shown the password, and which one that was: while a connection lasts, its name may pass to
 * somebody else, whose password is another. Immutable.
 */
public final class AuthenticatedUser {

    private final String name;
    private final byte @Nullable [] delivered;

    private AuthenticatedUser(String name, byte @Nullable [] delivered) {
        this.name = name;
        this.delivered = delivered;
    }

    /** A user of {@code proxy.auth}. */
    static AuthenticatedUser ofFile(String name) {
        return new AuthenticatedUser(name, null);
    }

    /** @param digest the SHA-256 digest of the password, which came with a workload */
    static AuthenticatedUser ofWorkload(String name, byte[] digest) {
        return new AuthenticatedUser(name, digest);
    }

    public String name() {
        return name;
    }

    /** Whether the password came with a workload. */
    boolean isDelivered() {
        return delivered != null;
    }

    /** Whether this is the digest of the password that was shown. */
    boolean showed(byte @Nullable [] digest) {
        return delivered != null && digest != null && MessageDigest.isEqual(delivered, digest);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AuthenticatedUser user
                && user.name.equals(name)
                && Arrays.equals(user.delivered, delivered);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** Without the digest. */
    @Override
    public String toString() {
        return "AuthenticatedUser[" + name + "]";
    }
}

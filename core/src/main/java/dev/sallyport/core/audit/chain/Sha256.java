package dev.sallyport.core.audit.chain;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 (FIPS 180-4), which every Java has. */
public final class Sha256 {

    /** The length of a hash in bytes. */
    public static final int BYTES = 32;

    private Sha256() {}

    /** A new computation. Not thread-safe. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The hash of these bytes. */
    public static byte[] of(byte[] bytes) {
        return digest().digest(bytes);
    }
}

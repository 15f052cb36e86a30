package dev.sallyport.spi;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The bytes of a secret. Immutable; prints as {@code ***}. */
public final class SecretValue {

    private final byte[] bytes;
    private final String fingerprint;

    private SecretValue(byte[] bytes, String fingerprint) {
        this.bytes = bytes;
        this.fingerprint = fingerprint;
    }

    /** A value with these bytes, which are copied. */
    public static SecretValue of(byte[] bytes) {
        return new SecretValue(bytes.clone(), "");
    }

    /** A value with this text in UTF-8. */
    public static SecretValue of(String text) {
        return new SecretValue(text.getBytes(StandardCharsets.UTF_8), "");
    }

    /** For the engine: the same bytes, with what tells them in audit records. */
    public SecretValue withFingerprint(String digits) {
        return new SecretValue(bytes, digits);
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The bytes read as UTF-8. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The number of bytes. */
    public int length() {
        return bytes.length;
    }

    /**
     * What tells this value from others in audit records without disclosing it: 16 hex digits that the engine has made
     * when the value was read, with a key that only it has. Empty where there is no audit key. Not part of equality.
     */
    public String fingerprint() {
        return fingerprint;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SecretValue that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "***";
    }
}

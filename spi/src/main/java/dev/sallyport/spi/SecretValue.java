package dev.sallyport.spi;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The bytes of a secret. Immutable; prints as {@code ***}. */
public final class SecretValue {

    private final byte[] bytes;

    private SecretValue(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A value with these bytes, which are copied. */
    public static SecretValue of(byte[] bytes) {
        return new SecretValue(bytes.clone());
    }

    /** A value with this text in UTF-8. */
    public static SecretValue of(String text) {
        return new SecretValue(text.getBytes(StandardCharsets.UTF_8));
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

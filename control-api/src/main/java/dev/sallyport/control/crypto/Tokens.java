package dev.sallyport.control.crypto;

import dev.sallyport.control.model.Ids;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/** Random texts that nobody guesses, and what is stored of them. */
public final class Tokens {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

    private Tokens() {}

    /** A prefix and 43 URL-safe characters, of 256 random bits. */
    public static String random(String prefix) {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** 26 characters in base 32, of 128 random bits. */
    public static String code() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return Ids.base32(bytes, 2);
    }

    /** The SHA-256 of a token, in hexadecimal. A token has too many bits to be found from it. */
    public static String hash(String token) {
        return hash(token.getBytes(StandardCharsets.UTF_8));
    }

    /** The SHA-256 of bytes, in hexadecimal. */
    public static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The bytes of a {@link #hash}. */
    public static byte[] digest(String hash) {
        return HexFormat.of().parseHex(hash);
    }

    /** Compares in a time that does not depend on where they differ. */
    public static boolean equal(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}

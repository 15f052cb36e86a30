package dev.sallyport.transforms.sigv4auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256 and its HMAC. Pure functions. */
final class Digests {

    /** The hash of empty content. */
    static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static final String HMAC = "HmacSHA256";
    private static final HexFormat HEX = HexFormat.of();
    private static final int HASH_DIGITS = 64;

    private Digests() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The hash of a text in which each character is a byte. */
    static String hash(CharSequence latin1) {
        return hex(sha256().digest(bytes(latin1)));
    }

    static String hash(ByteBuffer content) {
        MessageDigest digest = sha256();
        digest.update(content);
        return hex(digest.digest());
    }

    static SecretKeySpec key(byte[] bytes) {
        return new SecretKeySpec(bytes, HMAC);
    }

    static Mac mac(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        } catch (InvalidKeyException e) {
            throw new IllegalStateException("every secret is a key of " + HMAC, e);
        }
    }

    static byte[] mac(SecretKeySpec key, CharSequence latin1) {
        return mac(key).doFinal(bytes(latin1));
    }

    static String hex(byte[] bytes) {
        return HEX.formatHex(bytes);
    }

    /** Whether this is a hash, or a signature, in lower-case hexadecimal digits. */
    static boolean isHash(String text) {
        if (text.length() != HASH_DIGITS) {
            return false;
        }
        for (int i = 0; i < HASH_DIGITS; i++) {
            char c = text.charAt(i);
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
                return false;
            }
        }
        return true;
    }

    private static byte[] bytes(CharSequence latin1) {
        return latin1.toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}

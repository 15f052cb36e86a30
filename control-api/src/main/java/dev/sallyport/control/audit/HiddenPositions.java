package dev.sallyport.control.audit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Positions among the events of all accounts, as one account is told them: by the gaps between plain ones it would learn
 * how many events others have. A position looks the same as long as the numbering lasts, and those of other accounts or
 * numberings are none. The text holds a tag, which is a hash of the position, and the position masked by a hash of the
 * tag; both hashes are keyed. Thread-safe.
 */
final class HiddenPositions {

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte TAG = 1;
    private static final byte MASK = 2;
    private static final int BYTES = 2 * Long.BYTES;

    private final Mac mac;

    /**
     * @param secret known to nobody else
     * @param epoch the numbering
     */
    HiddenPositions(byte[] secret, String epoch, String organization) {
        byte[] key = keyed(secret).doFinal((epoch + '\0' + organization).getBytes(StandardCharsets.UTF_8));
        mac = keyed(key);
    }

    private static Mac keyed(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** The text for a position. */
    String hide(long position) {
        byte[] tag = hash(TAG, bytes(position));
        long masked = position ^ ByteBuffer.wrap(hash(MASK, tag)).getLong();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        ByteBuffer.allocate(BYTES).put(tag).putLong(masked).array());
    }

    /** The position of a text; empty when it is of none. */
    OptionalLong find(String text) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return OptionalLong.empty();
        }
        if (bytes.length != BYTES) {
            return OptionalLong.empty();
        }
        byte[] tag = Arrays.copyOf(bytes, Long.BYTES);
        long position = ByteBuffer.wrap(bytes).getLong(Long.BYTES)
                ^ ByteBuffer.wrap(hash(MASK, tag)).getLong();
        return MessageDigest.isEqual(tag, hash(TAG, bytes(position)))
                ? OptionalLong.of(position)
                : OptionalLong.empty();
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private synchronized byte[] hash(byte purpose, byte[] of) {
        mac.update(purpose);
        return Arrays.copyOf(mac.doFinal(of), Long.BYTES);
    }
}

package dev.sallyport.control.audit;

import dev.sallyport.control.model.Ids;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Identifiers of events, as 16 bytes: 48 bits of the time, 16 of the position, 64 of a hash of proxy, epoch and position.
 * Those of the position are moved by a hash that is another in each millisecond: an account would learn from them how many
 * events others have at a proxy that they share. Their order is that of the time, and within a millisecond that of the
 * proxy, unless the 16 bits overflow; the same event has the same one whenever it arrives. A position in a list is so
 * told by the identifier alone, whether the event still exists or not.
 */
final class EventIds {

    static final String PREFIX = "ee_";

    private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final int BYTES = 16;
    private static final int PADDING = 2;

    private EventIds() {}

    /** That of an event. */
    static byte[] of(long millis, EgressBatch batch, long position) {
        String numbering = batch.proxy() + '\0' + batch.epoch() + '\0';
        byte[] hash = hash(numbering + position);
        long moved = position + ByteBuffer.wrap(hash(numbering + "at" + millis)).getShort();
        return ByteBuffer.allocate(BYTES)
                .putLong(millis << 16 | (moved & 0xFFFF))
                .put(hash, 0, Long.BYTES)
                .array();
    }

    private static byte[] hash(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The least one of a millisecond. */
    static byte[] first(long millis) {
        return ByteBuffer.allocate(BYTES).putLong(millis << 16).putLong(0).array();
    }

    /** The time of an event. */
    static long millis(byte[] id) {
        return ByteBuffer.wrap(id).getLong() >>> 16;
    }

    static String text(byte[] id) {
        return PREFIX + Ids.base32(id, PADDING);
    }

    /** The bytes of an identifier; null when it is none. */
    static byte @Nullable [] parse(String text) {
        if (!Ids.isWellFormed(PREFIX, text)) {
            return null;
        }
        byte[] id = new byte[BYTES];
        int buffer = 0;
        int bits = -PADDING;
        int at = 0;
        for (int i = PREFIX.length(); i < text.length(); i++) {
            buffer = (buffer << 5) | DIGITS.indexOf(text.charAt(i));
            bits += 5;
            if (bits >= 8) {
                bits -= 8;
                id[at++] = (byte) (buffer >>> bits);
                buffer &= (1 << bits) - 1;
            }
        }
        return id;
    }

    static int compare(byte[] one, byte[] other) {
        return Arrays.compareUnsigned(one, other);
    }
}

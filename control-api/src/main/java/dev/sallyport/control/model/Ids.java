package dev.sallyport.control.model;

import java.security.SecureRandom;

/**
 * Identifiers: a prefix and 26 characters of Crockford's base 32 in lower case, 48 bits of time in milliseconds and 80
 * random ones, like a ULID. Those of one process are ordered by the time of their making, within a millisecond too.
 * Thread-safe.
 */
public final class Ids {

    /** The characters after the prefix. */
    public static final int LENGTH = 26;

    private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int RANDOM_BYTES = 10;

    private long lastMillis;
    private byte[] lastRandom = new byte[RANDOM_BYTES];

    /** The next one. */
    public synchronized String next(String prefix, long millis) {
        if (millis > lastMillis) {
            lastMillis = millis;
            RANDOM.nextBytes(lastRandom);
            lastRandom[0] &= 0x7F; // room to count up
        } else {
            lastRandom = lastRandom.clone();
            int at = RANDOM_BYTES - 1;
            while (++lastRandom[at] == 0) {
                at--;
            }
        }
        return prefix + encode(lastMillis, lastRandom);
    }

    /** Whether a text looks like an identifier with this prefix. */
    public static boolean isWellFormed(String prefix, String id) {
        if (id.length() != prefix.length() + LENGTH || !id.startsWith(prefix)) {
            return false;
        }
        if (DIGITS.indexOf(id.charAt(prefix.length())) > 7) { // 26 digits hold two bits more than there are
            return false;
        }
        for (int i = prefix.length(); i < id.length(); i++) {
            if (DIGITS.indexOf(id.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The time in a well-formed identifier. */
    public static long millis(String prefix, String id) {
        long millis = 0;
        for (int i = prefix.length(); i < prefix.length() + 10; i++) {
            millis = (millis << 5) | DIGITS.indexOf(id.charAt(i));
        }
        return millis;
    }

    /** 130 bits for 128: the first character holds three. */
    private static String encode(long millis, byte[] random) {
        byte[] all = new byte[16];
        for (int i = 0; i < 6; i++) {
            all[i] = (byte) (millis >>> (40 - 8 * i));
        }
        System.arraycopy(random, 0, all, 6, RANDOM_BYTES);
        return base32(all, 2);
    }

    /** Bytes in base 32, after {@code padding} zero bits. */
    public static String base32(byte[] bytes, int padding) {
        StringBuilder text = new StringBuilder(LENGTH);
        int buffer = 0;
        int bits = padding;
        for (byte b : bytes) {
            buffer = (buffer << 8) | (b & 0xFF);
            bits += 8;
            while (bits >= 5) {
                bits -= 5;
                text.append(DIGITS.charAt((buffer >>> bits) & 0x1F));
            }
            buffer &= (1 << bits) - 1;
        }
        return text.toString();
    }
}

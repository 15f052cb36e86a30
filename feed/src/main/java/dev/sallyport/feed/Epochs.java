package dev.sallyport.feed;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Names of numberings of events. */
final class Epochs {

    /** The length of one, as bytes; its text is twice as long. */
    static final int BYTES = 16;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Epochs() {}

    /** One that was never used. */
    static byte[] fresh() {
        byte[] epoch = new byte[BYTES];
        RANDOM.nextBytes(epoch);
        return epoch;
    }

    static String text(byte[] epoch) {
        return HexFormat.of().formatHex(epoch);
    }
}

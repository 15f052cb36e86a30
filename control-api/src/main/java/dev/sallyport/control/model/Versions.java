package dev.sallyport.control.model;

import java.security.SecureRandom;

/** Numbers that name a state of something. */
public final class Versions {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final long LARGEST = 1L << 53;

    private Versions() {}

    /**
     * Names a state as no other one is named: a count would go on from an earlier number, and give it a second time, when
     * the database is restored. It is exact as a number of JSON.
     */
    public static long fresh() {
        return RANDOM.nextLong(1, LARGEST);
    }
}

package dev.sallyport.testsupport;

import java.time.Duration;

/**
 * How long tests wait for what must come: long enough that a busy machine does not fail them, since they go on as soon as it
 * is there. One factor scales all of these waits: {@code -Dsallyport.patience}, from 1 to 6; by default 1 on a machine of eight
 * processors and more, 2 on one of four and more, and else 3.
 *
 * <p>What must <em>not</em> come is not waited for so long, and limits that a test gives to its subject are not scaled.
 */
public final class Patience {

    private static final int MOST = 6;
    private static final int MANY_PROCESSORS = 8;
    private static final int SOME_PROCESSORS = 4;

    private static final int FACTOR = factor();

    /** For one thing that comes: what to give to {@code poll}, {@code await} and {@code get} with {@code TimeUnit.SECONDS}. */
    public static final int SECONDS = 20 * FACTOR;

    /** The same for sockets. */
    public static final int MILLIS = 1000 * SECONDS;

    private Patience() {}

    /** The same as a duration. */
    public static Duration usual() {
        return Duration.ofSeconds(SECONDS);
    }

    /**
     * For what takes longer than usual.
     *
     * @param seconds on a fast machine that does nothing else
     */
    public static Duration seconds(int seconds) {
        return Duration.ofSeconds((long) seconds * FACTOR);
    }

    private static int factor() {
        int processors = Runtime.getRuntime().availableProcessors();
        int usual = processors >= MANY_PROCESSORS ? 1 : processors >= SOME_PROCESSORS ? 2 : 3;
        int factor = Integer.getInteger("sallyport.patience", usual);
        if (factor < 1 || factor > MOST) {
            throw new IllegalArgumentException("sallyport.patience: " + factor + " is not from 1 to " + MOST);
        }
        return factor;
    }
}

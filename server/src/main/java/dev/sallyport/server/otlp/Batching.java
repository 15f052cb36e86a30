package dev.sallyport.server.otlp;

import java.time.Duration;

/**
 * The bounds of a queue, and when a batch is sent.
 *
 * @param maxItems most that wait or are under way
 * @param maxBytes most bytes that these take
 * @param batchItems most in one batch
 * @param delay how long a batch waits to become full
 */
record Batching(int maxItems, long maxBytes, int batchItems, Duration delay) {

    /** Half of what collectors take in one message by default: 4 MiB in gRPC. */
    static final int BATCH_BYTES = 1 << 20;

    private static final long LEAST_BYTES = 4L << 20;
    private static final long MOST_BYTES = 64L << 20;
    private static final int SHARE_OF_HEAP = 16;

    /** A sixteenth of the heap, but at least 4 MiB and at most 64. */
    static long bytesFor(long heap) {
        return Math.clamp(heap / SHARE_OF_HEAP, LEAST_BYTES, MOST_BYTES);
    }
}

package dev.sallyport.core.net.limits;

/**
 * What a client of HTTP/2 may take beyond {@link HttpLimits}.
 *
 * @param maxStreams requests in progress on one connection
 * @param streamWindow bytes of one request's body that may be under way; at least the protocol's initial 65,535
 * @param resetBurst streams that may be reset, by the client or because of it, in one go (CVE-2023-44487, CVE-2025-8671)
 * @param resetsPerSecond how many more in each second
 * @param idleBurst frames without use that may come in one go; those that cost more than others count more
 * @param idlePerSecond how many more in each second
 */
public record Http2Limits(
        int maxStreams, int streamWindow, int resetBurst, int resetsPerSecond, int idleBurst, int idlePerSecond) {

    /** RFC 9113, 6.9.2. */
    public static final int INITIAL_WINDOW = 65_535;

    private static final Http2Limits DEFAULTS = new Http2Limits(100, INITIAL_WINDOW, 200, 50, 20_000, 5_000);

    public Http2Limits {
        if (maxStreams <= 0) {
            throw new IllegalArgumentException("maxStreams: " + maxStreams + " (expected: > 0)");
        }
        if (streamWindow < INITIAL_WINDOW) {
            throw new IllegalArgumentException(
                    "streamWindow: " + streamWindow + " (expected: >= " + INITIAL_WINDOW + ")");
        }
        if (resetBurst <= 0 || resetsPerSecond <= 0 || idleBurst <= 0 || idlePerSecond <= 0) {
            throw new IllegalArgumentException("a budget of frames is not positive (expected: > 0)");
        }
    }

    /** The defaults. */
    public static Http2Limits defaults() {
        return DEFAULTS;
    }
}

package dev.sallyport.core.upstream;

import java.time.Duration;

/**
 * Limits on the way to origins.
 *
 * @param connectTimeout for the name and the TCP connection together, whatever the number of addresses
 * @param tlsHandshakeTimeout for the TLS handshake; for the first frame of HTTP/2 again, unless responseHeaderTimeout is
 *     shorter
 * @param responseHeaderTimeout from the last byte of the request to the final head; interim heads do not restart it.
 *     Guarded routes only: who calls what the operator configured has a limit of its own
 * @param requestBodyTimeout how long an origin may take nothing of a request body, until its final head; guarded routes
 *     only
 * @param idleTimeout how long an unused connection is kept
 * @param maxConnectionAge after which a connection takes no further exchange
 * @param maxIdleConnections how many unused connections are kept, over all loops; the one unused for longest goes first
 * @param maxConnectionsPerOrigin over all loops and workloads, idle ones included
 * @param maxWaitingPerOrigin how many exchanges may wait for a connection to an origin that is at its limit
 * @param waitTimeout how long one may wait
 * @param maxHeadBytes longest head of a response: the status line alone, and the field lines together
 */
public record UpstreamSettings(
        Duration connectTimeout,
        Duration tlsHandshakeTimeout,
        Duration responseHeaderTimeout,
        Duration requestBodyTimeout,
        Duration idleTimeout,
        Duration maxConnectionAge,
        int maxIdleConnections,
        int maxConnectionsPerOrigin,
        int maxWaitingPerOrigin,
        Duration waitTimeout,
        int maxHeadBytes) {

    /** What applies where the configuration says nothing. */
    public static final UpstreamSettings DEFAULT = new UpstreamSettings(
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofMinutes(10),
            1024,
            1024,
            1024,
            Duration.ofSeconds(10),
            64 * 1024);

    /** Checks that every limit is positive; nobody may wait when {@code maxWaitingPerOrigin} is 0. */
    public UpstreamSettings {
        positive("connectTimeout", connectTimeout);
        positive("tlsHandshakeTimeout", tlsHandshakeTimeout);
        positive("responseHeaderTimeout", responseHeaderTimeout);
        positive("requestBodyTimeout", requestBodyTimeout);
        positive("idleTimeout", idleTimeout);
        positive("maxConnectionAge", maxConnectionAge);
        positive("waitTimeout", waitTimeout);
        atLeast("maxIdleConnections", maxIdleConnections, 1);
        atLeast("maxConnectionsPerOrigin", maxConnectionsPerOrigin, 1);
        atLeast("maxWaitingPerOrigin", maxWaitingPerOrigin, 0);
        atLeast("maxHeadBytes", maxHeadBytes, 1024);
    }

    /** How long an origin of HTTP/2 may take for its first frame: as long as for a handshake, and as for an answer. */
    Duration settingsTimeout() {
        return tlsHandshakeTimeout.compareTo(responseHeaderTimeout) < 0 ? tlsHandshakeTimeout : responseHeaderTimeout;
    }

    OriginTimeouts patience() {
        return new OriginTimeouts(responseHeaderTimeout, requestBodyTimeout);
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: more than nothing)");
        }
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least " + least + ")");
        }
    }
}

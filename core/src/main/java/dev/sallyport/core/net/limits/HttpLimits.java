package dev.sallyport.core.net.limits;

import java.time.Duration;

/**
 * Size and time limits for clients.
 *
 * @param headBytes all field lines of one head together, trailers included
 * @param requestLineBytes the request line; a line of chunk framing too
 * @param headerCount field lines of one head
 * @param headerReadTimeout from the first byte of a head to its last
 * @param idleTimeout between requests, and before the first
 * @param firstBytesTimeout from the opening of a tunnel to its first bytes
 * @param clientHelloTimeout from the beginning of a TLS connection to the end of its ClientHello
 * @param handshakeTimeout from the ClientHello to the end of the handshake
 * @param relayIdleTimeout how long both sides of a connection that is passed through may be silent; once one of them
 *     has ended, {@code idleTimeout} counts
 * @param lingerTimeout how long a connection that is being closed reads what the client still sends (RFC 9112, 9.6)
 * @param maxConnections open connections of all listeners together; beyond them nothing is accepted
 * @param maxConnectionsPerAddress open connections of one client address, one /64 of IPv6; 0 for no such limit
 * @param clientHelloBytes longest ClientHello
 * @param bodies what the framing of a body may take
 * @param patience with clients in the middle of an exchange
 * @param http2 what clients of HTTP/2 may take beyond that
 */
public record HttpLimits(
        int headBytes,
        int requestLineBytes,
        int headerCount,
        Duration headerReadTimeout,
        Duration idleTimeout,
        Duration firstBytesTimeout,
        Duration clientHelloTimeout,
        Duration handshakeTimeout,
        Duration relayIdleTimeout,
        Duration lingerTimeout,
        int maxConnections,
        int maxConnectionsPerAddress,
        int clientHelloBytes,
        Bodies bodies,
        Patience patience,
        Http2Limits http2) {

    /**
     * What the framing of a body may take.
     *
     * @param trailerBytes all trailer fields of one body together
     * @param trailerCount trailer fields of one body
     * @param chunkFramingBytes chunk sizes and extensions, beyond a multiple of the body itself
     */
    public record Bodies(int trailerBytes, int trailerCount, int chunkFramingBytes) {

        /** The defaults. */
        public static final Bodies DEFAULTS = new Bodies(8 * 1024, 64, 128 * 1024);

        public Bodies {
            requireNotNegative("trailerBytes", trailerBytes);
            requireNotNegative("trailerCount", trailerCount);
            requirePositive("chunkFramingBytes", chunkFramingBytes);
        }
    }

    /**
     * How long a client may keep an exchange waiting; the idle timeout counts in any case.
     *
     * @param halfClosed how long a client that has ended its half may go without a byte of the response: it may be gone
     * @param bodyWindow in each such time, while there is no answer yet
     * @param bodyBytes so much of a body must arrive when it is the client that is waited for; 0 for anything at all
     */
    public record Patience(Duration halfClosed, Duration bodyWindow, int bodyBytes) {

        /** The defaults. */
        public static final Patience DEFAULTS = new Patience(Duration.ofSeconds(30), Duration.ofSeconds(60), 960);

        public Patience {
            requirePositive("halfClosed", halfClosed.toNanos());
            requirePositive("bodyWindow", bodyWindow.toNanos());
            requireNotNegative("bodyBytes", bodyBytes);
        }
    }

    private static final HttpLimits DEFAULTS = new HttpLimits(
            64 * 1024,
            16 * 1024,
            200,
            Duration.ofSeconds(10),
            Duration.ofSeconds(120),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofHours(1),
            Duration.ofSeconds(2),
            65_536,
            0,
            64 * 1024,
            Bodies.DEFAULTS,
            Patience.DEFAULTS,
            Http2Limits.defaults());

    public HttpLimits {
        requirePositive("headBytes", headBytes);
        requirePositive("requestLineBytes", requestLineBytes);
        requirePositive("headerCount", headerCount);
        requirePositive("headerReadTimeout", headerReadTimeout.toNanos());
        requirePositive("idleTimeout", idleTimeout.toNanos());
        requirePositive("firstBytesTimeout", firstBytesTimeout.toNanos());
        requirePositive("clientHelloTimeout", clientHelloTimeout.toNanos());
        requirePositive("handshakeTimeout", handshakeTimeout.toNanos());
        requirePositive("relayIdleTimeout", relayIdleTimeout.toNanos());
        requirePositive("lingerTimeout", lingerTimeout.toNanos());
        requirePositive("maxConnections", maxConnections);
        requireNotNegative("maxConnectionsPerAddress", maxConnectionsPerAddress);
        requirePositive("clientHelloBytes", clientHelloBytes);
    }

    /** The defaults. */
    public static HttpLimits defaults() {
        return DEFAULTS;
    }

    /** The same with another number of connections. */
    public HttpLimits withMaxConnections(int connections) {
        return new HttpLimits(
                headBytes,
                requestLineBytes,
                headerCount,
                headerReadTimeout,
                idleTimeout,
                firstBytesTimeout,
                clientHelloTimeout,
                handshakeTimeout,
                relayIdleTimeout,
                lingerTimeout,
                connections,
                maxConnectionsPerAddress,
                clientHelloBytes,
                bodies,
                patience,
                http2);
    }

    /** The same with other times for a head, between requests, and for the first bytes of TLS or of a tunnel. */
    public HttpLimits withTimeouts(Duration head, Duration idle, Duration firstBytes) {
        return new HttpLimits(
                headBytes,
                requestLineBytes,
                headerCount,
                head,
                idle,
                firstBytes,
                firstBytes,
                handshakeTimeout,
                relayIdleTimeout,
                lingerTimeout,
                maxConnections,
                maxConnectionsPerAddress,
                clientHelloBytes,
                bodies,
                patience,
                http2);
    }

    /** The same with another patience. */
    public HttpLimits withPatience(Patience other) {
        return new HttpLimits(
                headBytes,
                requestLineBytes,
                headerCount,
                headerReadTimeout,
                idleTimeout,
                firstBytesTimeout,
                clientHelloTimeout,
                handshakeTimeout,
                relayIdleTimeout,
                lingerTimeout,
                maxConnections,
                maxConnectionsPerAddress,
                clientHelloBytes,
                bodies,
                other,
                http2);
    }

    /** The same with other limits for HTTP/2. */
    public HttpLimits withHttp2(Http2Limits other) {
        return new HttpLimits(
                headBytes,
                requestLineBytes,
                headerCount,
                headerReadTimeout,
                idleTimeout,
                firstBytesTimeout,
                clientHelloTimeout,
                handshakeTimeout,
                relayIdleTimeout,
                lingerTimeout,
                maxConnections,
                maxConnectionsPerAddress,
                clientHelloBytes,
                bodies,
                patience,
                other);
    }

    private static void requireNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: >= 0)");
        }
    }

    private static void requirePositive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: > 0)");
        }
    }
}

package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code proxy.limits}: limits on clients' requests, on their time, and on the memory held for them. */
public record ProxyLimits(
        @JsonProperty(defaultValue = "16KiB")
        @Range(min = "1KiB", max = "1MiB")
        @JsonPropertyDescription("Longest request line; beyond, 414.")
        ByteSize requestLineBytes,

        @JsonProperty(defaultValue = "64KiB")
        @Range(min = "1KiB", max = "1MiB")
        @JsonPropertyDescription("Most bytes of all headers of a request together; beyond, 431.")
        ByteSize headerBytes,

        @JsonProperty(defaultValue = "200")
        @Range(min = "16", max = "10000")
        @JsonPropertyDescription("Most headers of a request; beyond, 431.")
        int headerCount,

        @JsonProperty(defaultValue = "8KiB")
        @Range(min = "0", max = "1MiB")
        @JsonPropertyDescription("Most bytes of all trailers of a request together; beyond, 431.")
        ByteSize trailerBytes,

        @JsonProperty(defaultValue = "64")
        @Range(min = "0", max = "10000")
        @JsonPropertyDescription("Most trailers of a request; beyond, 431.")
        int trailerCount,

        @JsonProperty(defaultValue = "128KiB")
        @Range(min = "1KiB", max = "16MiB")
        @JsonPropertyDescription(
                "Most bytes of chunk sizes and chunk extensions in one body, in addition to 16 for each byte of the body itself; beyond, 400.")
        ByteSize chunkFramingBytes,

        @JsonProperty(defaultValue = "64KiB")
        @Range(min = "1KiB", max = "64KiB")
        @JsonPropertyDescription("Longest ClientHello of TLS; beyond, the connection is closed.")
        ByteSize clientHelloBytes,

        @JsonProperty(defaultValue = "10000")
        @Range(min = "1")
        @JsonPropertyDescription("Most client connections at a time; further ones wait to be accepted.")
        int maxConnections,

        @JsonProperty(defaultValue = "2500")
        @Range(min = "0")
        @JsonPropertyDescription(
                "Most connections at a time from one client address (one /64 of IPv6); further ones are closed. 0 for no limit of its own.")
        int maxConnectionsPerAddress,

        @Range(min = "1MiB")
        @JsonPropertyDescription(
                "Most bytes of bodies buffered for all exchanges together; beyond, 503. When unset, a quarter of the heap or of the memory beside it, and at most 256MiB.")
        @Nullable ByteSize bufferedBytes,

        @Range(min = "1MiB")
        @JsonPropertyDescription(
                "Most bytes of decoded heads held for all connections together, from their first byte to their answer; beyond, 503, over HTTP/2 REFUSED_STREAM. When unset, an eighth of the heap, and at most 256MiB.")
        @Nullable ByteSize bufferedHeadBytes,

        @JsonProperty(defaultValue = "1MiB")
        @Range(min = "16KiB", max = "1GiB")
        @JsonPropertyDescription(
                "Most bytes of decoded heads held for one connection; beyond, 431. Each header counts 96 bytes more than its name and value.")
        ByteSize connectionHeadBytes,

        @JsonProperty(defaultValue = "512")
        @Range(min = "1", max = "100000")
        @JsonPropertyDescription("Most blocking steps of transforms at a time; beyond, 503.")
        int blockingThreads,

        @JsonProperty(defaultValue = "5s")
        @Range(min = "1ms", max = "1h")
        @JsonPropertyDescription("Time limit for the ClientHello of a TLS client, from the start of the connection.")
        Duration clientHelloTimeout,

        @JsonProperty(defaultValue = "10s")
        @Range(min = "1ms", max = "1h")
        @JsonPropertyDescription("Time limit for a client's TLS handshake, from its ClientHello.")
        Duration handshakeTimeout,

        @JsonProperty(defaultValue = "10s")
        @Range(min = "1ms", max = "1h")
        @JsonPropertyDescription("Time limit for the first bytes inside a tunnel.")
        Duration firstBytesTimeout,

        @JsonProperty(defaultValue = "10s")
        @Range(min = "1ms", max = "1h")
        @JsonPropertyDescription("Time limit for the head of a request, from its first byte; beyond, 408.")
        Duration headerReadTimeout,

        @JsonProperty(defaultValue = "120s")
        @Range(min = "1ms")
        @JsonPropertyDescription(
                "How long a client connection may be idle between requests, or a client may leave its response unread.")
        Duration clientIdleTimeout,

        @JsonProperty(defaultValue = "1h")
        @Range(min = "1ms")
        @JsonPropertyDescription(
                "How long both sides of a WebSocket, of another protocol that was switched to, or of TLS that is passed through, may be silent. Once one side of the last has ended, client_idle_timeout applies.")
        Duration relayIdleTimeout,

        @JsonProperty(defaultValue = "60s")
        @Range(min = "1ms")
        @JsonPropertyDescription(
                "How long a client may pause while the proxy waits for its request body; beyond, 408. client_idle_timeout applies if it is shorter.")
        Duration bodyIdleTimeout,

        @JsonProperty(defaultValue = "16")
        @Range(min = "0", max = "1000000")
        @JsonPropertyDescription(
                "Lowest rate of a request body for which the proxy waits, in bytes a second on average over each body_idle_timeout; below, 408. 0 for no limit.")
        int minBodyRateBytes,

        @JsonProperty(defaultValue = "30s")
        @Range(min = "1ms")
        @JsonPropertyDescription(
                "How long a client that has ended its half may go without receiving a byte of its response: it may have left.")
        Duration halfClosedTimeout,

        @JsonProperty(defaultValue = "2s")
        @Range(min = "1ms", max = "1m")
        @JsonPropertyDescription(
                "How long a connection that is being closed still reads what the client sends, so that the client sees the answer.")
        Duration lingerTimeout,

        @JsonProperty(defaultValue = "10s")
        @Range(min = "1ms")
        @JsonPropertyDescription("How long one step of a transform may take.")
        Duration transformTimeout,

        @JsonProperty(defaultValue = "60s")
        @Range(min = "1ms")
        @JsonPropertyDescription("How long a transform waits for a body; beyond, its exchange is refused.")
        Duration transformBodyTimeout,

        @JsonProperty(defaultValue = "30s") @JsonPropertyDescription("How long a shutdown waits for running exchanges.")
        Duration drainTimeout,

        @JsonPropertyDescription("Additional limits for HTTP/2 clients.")
        Http2 http2)
        implements SelfValidating {

    @Override
    public void check(Problems problems) {
        if (connectionHeadBytes.bytes() < 2 * headerBytes.bytes()) {
            problems.add(
                    "/connection_head_bytes",
                    connectionHeadBytes + " is too small for a head of header_bytes",
                    "at least " + new ByteSize(2 * headerBytes.bytes()));
        }
    }

    /** The limits for HTTP/2 clients. */
    public record Http2(
            @JsonProperty(defaultValue = "100")
            @Range(min = "1", max = "10000")
            @JsonPropertyDescription("Most requests in progress on one connection.")
            int maxConcurrentStreams,

            @JsonProperty(defaultValue = "256KiB")
            @Range(min = "65535", max = "16MiB")
            @JsonPropertyDescription("Most bytes of one request body that may be in transit.")
            ByteSize streamWindowBytes,

            @JsonProperty(defaultValue = "200")
            @Range(min = "1", max = "1000000")
            @JsonPropertyDescription("Most streams that may be reset in a burst; beyond, the connection is closed.")
            int maxResets,

            @JsonProperty(defaultValue = "50")
            @Range(min = "1", max = "1000000")
            @JsonPropertyDescription("How many more resets each second allows.")
            int resetsPerSecond,

            @JsonProperty(defaultValue = "20000")
            @Range(min = "1", max = "100000000")
            @JsonPropertyDescription(
                    "Most PING, SETTINGS, PRIORITY, empty and other frames without use in a burst; beyond, the connection is closed.")
            int maxControlFrames,

            @JsonProperty(defaultValue = "5000")
            @Range(min = "1", max = "100000000")
            @JsonPropertyDescription("How many more of those each second allows.")
            int controlFramesPerSecond) {}
}

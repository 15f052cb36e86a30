package dev.sallyport.spi;

import java.util.Objects;

/**
 * How a body is to be read.
 *
 * @param maxBytes the most bytes to wait for; the engine lowers it to the configured cap
 *     ({@code proxy.max_request_body_bytes}, {@code proxy.max_response_body_bytes}) unless {@link #uncapped}
 * @param overflow what happens beyond {@code maxBytes}
 * @param identity whether the engine removes the content coding for this reader (RFC 9110, 8.4). An unknown coding is
 *     415 for readers that decide or write
 * @param uncapped true for readers whose own limit is independent of the configured cap
 */
public record Buffered(long maxBytes, Overflow overflow, boolean identity, boolean uncapped) {

    /** What happens when a body is longer than may be buffered. Nothing is ever cut on its way to the peer. */
    public enum Overflow {
        /** 413 {@code body_too_large} for requests, 502 {@code response_too_large} for responses. */
        REJECT,
        /** The reader sees the prefix, and {@link Body#truncated()}; the whole body goes on. */
        PREFIX,
        /**
         * As {@link #PREFIX}, but the reader is called as soon as {@code maxBytes} are there, and not only when it is known
         * whether more follows: {@link Body#truncated()} unless the body has ended with them. For conversations.
         */
        ENOUGH
    }

    public Buffered {
        Objects.requireNonNull(overflow, "overflow");
        if (maxBytes < 0) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: >= 0)");
        }
    }

    /** The whole body up to the configured cap, content coding removed; refused beyond it. */
    public static Buffered whole() {
        return new Buffered(Long.MAX_VALUE, Overflow.REJECT, true, false);
    }

    /** At most {@code maxBytes} from the start, content coding removed. */
    public static Buffered prefix(long maxBytes) {
        return new Buffered(maxBytes, Overflow.PREFIX, true, false);
    }

    /** The first {@code maxBytes}, content coding removed, as soon as they are there. */
    public static Buffered first(long maxBytes) {
        return new Buffered(maxBytes, Overflow.ENOUGH, true, false);
    }

    /** The same, with the bytes as they are on the wire. */
    public Buffered raw() {
        return new Buffered(maxBytes, overflow, false, uncapped);
    }

    /** The same, with a limit of its own instead of the configured cap. */
    public Buffered independentOfCap() {
        return new Buffered(maxBytes, overflow, identity, true);
    }
}

package dev.sallyport.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Specifies how to read a body. Made by {@link #whole()}, {@link #prefix} and {@link #first}, of which {@link #raw} and
 * {@link #independentOfCap} make others. A value; immutable.
 */
public final class Buffered {

    /** What happens when a body is longer than may be buffered. The peer always gets the whole body. */
    public enum Overflow {
        /** 413 {@code body_too_large} for requests, 502 {@code response_too_large} for responses. */
        REJECT,
        /** The reader sees the prefix, and {@link Body#truncated()}; the whole body is forwarded. */
        PREFIX,
        /**
         * As {@link #PREFIX}, but the reader is called as soon as {@code maxBytes} are there, and not only when it is
         * known whether more follows: {@link Body#truncated()} unless the body has ended with them. For conversations.
         */
        ENOUGH
    }

    private static final Buffered WHOLE = new Buffered(Long.MAX_VALUE, Overflow.REJECT, true, false);

    private final long maxBytes;
    private final Overflow overflow;
    private final boolean identity;
    private final boolean uncapped;

    private Buffered(long maxBytes, Overflow overflow, boolean identity, boolean uncapped) {
        if (maxBytes < 0) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: >= 0)");
        }
        this.maxBytes = maxBytes;
        this.overflow = overflow;
        this.identity = identity;
        this.uncapped = uncapped;
    }

    /** The whole body up to the configured cap, content coding removed; refused beyond it. */
    public static Buffered whole() {
        return WHOLE;
    }

    /** The whole body, content coding removed; refused where it is longer than {@code maxBytes}. */
    public static Buffered whole(long maxBytes) {
        return new Buffered(maxBytes, Overflow.REJECT, true, false);
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

    /**
     * The most bytes to wait for; the engine lowers it to the configured cap ({@code proxy.max_request_body_bytes},
     * {@code proxy.max_response_body_bytes}) unless {@link #uncapped}.
     */
    public long maxBytes() {
        return maxBytes;
    }

    /** What happens beyond {@link #maxBytes}. */
    public Overflow overflow() {
        return overflow;
    }

    /**
     * Whether the engine removes the content coding for this reader (RFC 9110, 8.4). An unknown coding is 415 for
     * readers that decide or write.
     */
    public boolean identity() {
        return identity;
    }

    /** Whether the reader's own limit is independent of the configured cap. */
    public boolean uncapped() {
        return uncapped;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Buffered that
                && maxBytes == that.maxBytes
                && overflow == that.overflow
                && identity == that.identity
                && uncapped == that.uncapped;
    }

    @Override
    public int hashCode() {
        return Objects.hash(maxBytes, overflow, identity, uncapped);
    }

    /** Such as {@code Buffered[PREFIX 4096 raw]}. */
    @Override
    public String toString() {
        return "Buffered[" + overflow + (maxBytes == Long.MAX_VALUE ? "" : " " + maxBytes) + (identity ? "" : " raw")
                + (uncapped ? " independent of the cap" : "") + "]";
    }
}

package dev.sallyport.core.body;

import dev.sallyport.core.body.BodyFailure.Kind;
import dev.sallyport.spi.Buffered;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One read that waits for its bytes. */
final class BodyRead {

    /** The longest array that every JVM can make. */
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    /** Coded bytes that may arrive beyond the reader's limit before they decode to anything. */
    private static final long CODED_SLACK = 64 << 10;

    private final int position;
    private final boolean reject;
    private final boolean enough;
    private final boolean identity;
    private final int max;
    private final ReadCallback callback;
    private @Nullable PeekDecoder peek;
    private boolean unfinished;

    BodyRead(int position, Buffered access, long cap, ReadCallback callback) {
        this.position = position;
        this.reject = access.overflow() == Buffered.Overflow.REJECT;
        this.enough = access.overflow() == Buffered.Overflow.ENOUGH;
        this.identity = access.identity();
        this.max = (int) Math.min(MAX_ARRAY, access.uncapped() ? access.maxBytes() : Math.min(access.maxBytes(), cap));
        this.callback = callback;
    }

    ReadCallback callback() {
        return callback;
    }

    boolean identity() {
        return identity;
    }

    /**
     * Checks whether enough bytes have arrived.
     *
     * @param over whether the turn is over
     * @return the requested bytes, or null to wait
     * @throws BodyException when the read cannot succeed; the body itself is unharmed
     */
    @Nullable Result look(StageChain chain, ByteQueue queue, BodyAccount account, BooleanSupplier over) {
        if (account.exceeded()) {
            throw new BodyException(Kind.OVER_BUDGET, position, "too many bytes of bodies are held back");
        }
        if (identity && chain.coded() && !chain.decoded()) {
            return lookDecoded(chain, queue, account, over);
        }
        if (chain.keptBytes() > max + CODED_SLACK) {
            chain.dropKept();
        }
        if (!identity && !chain.leaveRegion(!chain.worthHolding())) {
            return null;
        }
        long known = chain.ended() ? queue.bytes() : chain.length();
        boolean overflow = queue.bytes() > max || (enough && queue.bytes() == max && !chain.ended());
        if (reject && (overflow || known > max)) {
            throw tooLarge();
        }
        if (!overflow && !chain.ended()) {
            return null;
        }
        int length = (int) Math.min(queue.bytes(), max);
        return new Result(queue.head(length), length, !overflow);
    }

    /** Whether the turn was over before all that has arrived was looked at. */
    boolean unfinished() {
        return unfinished;
    }

    private @Nullable Result lookDecoded(StageChain chain, ByteQueue queue, BodyAccount account, BooleanSupplier over) {
        PeekDecoder decoder = peek;
        if (decoder == null) {
            decoder = new PeekDecoder(chain.decoder(position), position, max, account);
            peek = decoder;
        }
        unfinished = !decoder.feed(queue, chain.ended(), over);
        if (unfinished) {
            return null;
        }
        boolean overflow = decoder.overflow() || (!chain.ended() && queue.bytes() > max + CODED_SLACK + max / 8);
        if (reject && overflow) {
            throw tooLarge();
        }
        return overflow || chain.ended() ? new Result(decoder.bytes(), decoder.length(), !overflow) : null;
    }

    private BodyException tooLarge() {
        return new BodyException(Kind.TOO_LARGE, position, "the body is longer than may be buffered");
    }

    /** Frees the decoder. The bytes that it decoded stay counted until {@link #forget}. */
    void close() {
        PeekDecoder decoder = peek;
        if (decoder != null) {
            decoder.close();
        }
    }

    /** Stops counting the decoded copy, which is no longer used. */
    void forget() {
        PeekDecoder decoder = peek;
        if (decoder != null) {
            peek = null;
            decoder.close();
            decoder.forget();
        }
    }

    /**
     * The result of a read.
     *
     * @param array holds the result in its first {@code length} bytes
     * @param complete whether this is the whole body
     */
    record Result(byte[] array, int length, boolean complete) {}
}

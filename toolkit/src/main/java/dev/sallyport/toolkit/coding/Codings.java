package dev.sallyport.toolkit.coding;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The content codings of one body, in the order in which they were applied (RFC 9110, 8.4). Immutable. */
public final class Codings {

    /** The most codings of one body that are decoded; there is no good reason to send more. */
    public static final int MAX_CODINGS = 4;

    private static final Codings IDENTITY = new Codings(List.of(), true);
    private static final Codings UNKNOWN = new Codings(List.of(), false);

    private final List<Coding> list;
    private final boolean known;

    private Codings(List<Coding> list, boolean known) {
        this.list = list;
        this.known = known;
    }

    /**
     * Parses the value of {@code Content-Encoding}; several header lines must be joined with commas. Never fails: a
     * value that cannot be decoded is not {@link #known}.
     */
    public static Codings parse(@Nullable String contentEncoding) {
        if (contentEncoding == null) {
            return IDENTITY;
        }
        List<Coding> list = new ArrayList<>(2);
        for (String element : contentEncoding.split(",", -1)) {
            String token = element.strip();
            if (token.isEmpty() || token.equalsIgnoreCase("identity")) {
                continue;
            }
            Coding coding = Coding.of(token);
            if (coding == null || list.size() == MAX_CODINGS) {
                return UNKNOWN;
            }
            list.add(coding);
        }
        return list.isEmpty() ? IDENTITY : new Codings(List.copyOf(list), true);
    }

    /**
     * Loads the native libraries, which needs file access and some tens of milliseconds. To be called at start, so that
     * no event loop does it at the first body.
     */
    public static void load() {
        parse("br");
        parse("zstd");
    }

    /** Whether all codings can be decoded here. */
    public boolean known() {
        return known;
    }

    /** Whether there is no coding. */
    public boolean isIdentity() {
        return known && list.isEmpty();
    }

    /** The codings in the order in which they were applied; empty when one of them is unknown. */
    public List<Coding> list() {
        return list;
    }

    /**
     * A decoder for one body, which removes all codings.
     *
     * @throws IllegalStateException when a coding is not {@link #known}
     */
    public Decoder decoder(DecodeLimits limits) {
        requireKnown();
        GuardedDecoder.Budget budget = new GuardedDecoder.Budget(limits);
        Decoder decoder = new GuardedDecoder(new IdentityDecoder(), budget, true);
        for (int i = list.size() - 1; i >= 0; i--) {
            boolean first = i == list.size() - 1;
            Decoder stage = new GuardedDecoder(list.get(i).decoder(), budget, first);
            decoder = first ? stage : new DecoderChain(decoder, stage);
        }
        return decoder;
    }

    /**
     * An encoder for one body, which applies all codings.
     *
     * @throws IllegalStateException when a coding is not {@link #known}
     */
    public Encoder encoder() {
        requireKnown();
        Encoder encoder = new IdentityEncoder();
        for (int i = 0; i < list.size(); i++) {
            Encoder stage = list.get(i).encoder();
            encoder = i == 0 ? stage : new EncoderChain(encoder, stage);
        }
        return encoder;
    }

    private void requireKnown() {
        if (!known) {
            throw new IllegalStateException("content coding: not known (expected: gzip, deflate, br or zstd)");
        }
    }

    @Override
    public String toString() {
        return known ? list.toString() : "[unknown]";
    }
}

package dev.sallyport.toolkit.coding;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The content codings of one body, in the order in which they were applied (RFC 9110, 8.4). Immutable. */
public final class Codings {

    /** The most codings of one body that are decoded; there is no good reason to send more. */
    public static final int MAX_CODINGS = 4;

    private static final Set<String> OTHER = Set.of("none", "binary", "7bit", "8bit", "aws-chunked");

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
     * A value of {@code Content-Encoding} without the tokens that are no codings, which origins put there: names of
     * charsets, {@code none}, {@code binary}, {@code 7bit}, {@code 8bit}, {@code aws-chunked}, nothing at all. Every client
     * reads the content as if they were not there. A value that has none of them is returned unchanged; what is left may be
     * empty.
     */
    public static String withoutOtherTokens(String contentEncoding) {
        if (Coding.of(contentEncoding) != null) {
            return contentEncoding;
        }
        List<String> kept = new ArrayList<>(2);
        boolean other = false;
        for (String element : contentEncoding.split(",", -1)) {
            String token = element.strip();
            if (isOtherToken(token)) {
                other = true;
            } else {
                kept.add(token);
            }
        }
        return other ? String.join(", ", kept) : contentEncoding;
    }

    private static boolean isOtherToken(String token) {
        if (token.isEmpty() || OTHER.contains(token.toLowerCase(Locale.ROOT))) {
            return true;
        }
        try {
            return Coding.of(token) == null && Charset.isSupported(token);
        } catch (IllegalCharsetNameException e) {
            return false;
        }
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
        return decoder(limits, Coding::decoder);
    }

    /**
     * As {@link #decoder}, but takes what browsers take of what origins send.
     *
     * @param tolerated is told, before the decoded bytes come, of each thing that was wrong
     * @throws IllegalStateException when a coding is not {@link #known}
     */
    public Decoder lenientDecoder(DecodeLimits limits, Consumer<Tolerance> tolerated) {
        return decoder(limits, coding -> new LenientDecoder(coding, tolerated));
    }

    private Decoder decoder(DecodeLimits limits, Function<Coding, Decoder> stages) {
        requireKnown();
        GuardedDecoder.Budget budget = new GuardedDecoder.Budget(limits);
        Decoder decoder = new GuardedDecoder(new IdentityDecoder(), budget, true);
        for (int i = list.size() - 1; i >= 0; i--) {
            boolean first = i == list.size() - 1;
            Decoder stage = new GuardedDecoder(stages.apply(list.get(i)), budget, first);
            decoder = first ? stage : new DecoderChain(decoder, stage, list.get(i) == Coding.BR);
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

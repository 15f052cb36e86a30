package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * Masks what a value leaves at the beginning of a part of a text that was cut out of it: its end, or a piece of it when
 * the part is shorter than the value. Every notation is read, from each byte on at which a cut escape may end. Holds
 * back no more than a value may take. One instance serves one part, on one thread at a time.
 */
final class PartHead implements BodyRewriter {

    /** The shortest piece of a value that is masked; shorter ones are too often a coincidence. */
    static final int LEAST = 4;

    static final byte MASK = 'x';

    /** So many bytes of text at most stand for one of a value, except in longer references of HTML. */
    private static final int WIDEST = 8;

    /** Spreads bits into the upper ones. */
    private static final int MIXER = 0x9E3779B9;

    private final Patterns patterns;
    private final List<byte[]> tokens;
    private final boolean cutAfter;
    private final Runnable masked;
    private final int enough;

    private byte[] held = {};
    private int length;
    private boolean open = true;
    private boolean changed;

    /** @param cutAfter whether the part's end is cut as well */
    PartHead(Patterns patterns, List<byte[]> tokens, boolean cutAfter, Runnable masked) {
        this.patterns = patterns;
        this.tokens = tokens;
        this.cutAfter = cutAfter;
        this.masked = masked;
        this.enough = WIDEST * (patterns.matcher().maxLength() + 1);
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        return in;
    }

    @Override
    public boolean changed() {
        return changed;
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        int size = Math.min(in.remaining(), open ? enough - length : 0);
        if (size > 0) {
            if (length + size > held.length) {
                held = Arrays.copyOf(held, Math.max(length + size, Math.min(enough, 2 * held.length)));
            }
            in.get(held, length, size);
            length += size;
        }
        if (open && length == enough) {
            release(false, out);
        }
        if (in.hasRemaining()) {
            out.forward(in.position(), in.remaining());
            in.position(in.limit());
        }
    }

    @Override
    public void end(Sink out) {
        if (open) {
            release(true, out);
        }
    }

    private void release(boolean whole, Sink out) {
        open = false;
        int mask = pieceLength(whole && cutAfter);
        if (mask > 0) {
            Arrays.fill(held, 0, mask, MASK);
            changed = true;
            masked.run();
        }
        if (length > 0) {
            out.write(ByteBuffer.wrap(held, 0, length));
        }
        held = new byte[0];
    }

    /**
     * The length of the text that a value leaves at the beginning, 0 for none.
     *
     * @param whole whether a piece of a value may end where the text does
     */
    private int pieceLength(boolean whole) {
        List<PartReading> readings = readings();
        long grams = 0;
        for (PartReading reading : readings) {
            grams |= bit(reading.bytes(), 0);
        }
        int longest = 0;
        for (byte[] token : tokens) {
            for (int from = 1; from <= token.length - LEAST; from++) {
                if ((grams & bit(token, from)) != 0) {
                    for (PartReading reading : readings) {
                        longest = Math.max(longest, reading.pieceLength(token, from, whole));
                    }
                }
            }
        }
        return longest;
    }

    private List<PartReading> readings() {
        byte[] text = Arrays.copyOf(held, length);
        int most = patterns.matcher().maxLength() + 1;
        List<PartReading> readings = new ArrayList<>();
        readings.add(PartReading.of(text, null, 0, most));
        if (patterns.escapeTable().starts().indexIn(text, 0, length) >= 0) {
            for (Escaping escaping : patterns.escapings()) {
                for (int skipped = 0; skipped < Math.min(escaping.maxLength(), WIDEST); skipped++) {
                    readings.add(PartReading.of(text, escaping, skipped, most));
                }
            }
        }
        readings.removeIf(reading -> reading.length() < LEAST);
        return readings;
    }

    /** One of 64 bits for four bytes. */
    private static long bit(byte[] bytes, int at) {
        int gram =
                (bytes[at] << 24) | (octet(bytes, at + 1) << 16) | (octet(bytes, at + 2) << 8) | octet(bytes, at + 3);
        return 1L << ((gram * MIXER) >>> 26);
    }

    private static int octet(byte[] bytes, int at) {
        return bytes[at] & 0xff;
    }
}

package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Decodes what an origin has coded badly as browsers do: bytes behind the coded data are dropped, data that breaks off is
 * delivered as far as it goes, and content that is only called gzip is taken as it is.
 */
final class LenientDecoder implements Decoder {

    private static final int[] GZIP = {0x1f, 0x8b};

    private final Decoder strict;
    private final Consumer<Tolerance> tolerated;

    /** How much of the first bytes has been found to be as gzip has them; all of them for other codings. */
    private int recognised;

    private boolean plain;
    private boolean over;

    LenientDecoder(Coding coding, Consumer<Tolerance> tolerated) {
        this.strict = coding.decoder();
        this.tolerated = tolerated;
        this.recognised = coding == Coding.GZIP ? 0 : GZIP.length;
    }

    @Override
    public void write(ByteBuffer in, Output out) {
        while (recognised < GZIP.length && !plain && in.hasRemaining()) {
            recognise(in, out);
        }
        if (plain && in.hasRemaining()) {
            out.write(in);
        } else if (!over && in.hasRemaining()) {
            decode(in, out);
        }
        in.position(in.limit());
    }

    private void recognise(ByteBuffer in, Output out) {
        if ((in.get(in.position()) & 0xff) == GZIP[recognised]) {
            recognised++;
            in.get();
            if (recognised == GZIP.length) {
                strict.write(start(), out);
            }
        } else {
            plain = true;
            tolerated.accept(Tolerance.PLAIN);
            if (recognised > 0) {
                out.write(start());
            }
        }
    }

    /** The first bytes, as far as they are those of gzip. */
    private ByteBuffer start() {
        ByteBuffer start = ByteBuffer.allocate(GZIP.length);
        for (int i = 0; i < recognised; i++) {
            start.put((byte) GZIP[i]);
        }
        return start.flip();
    }

    private void decode(ByteBuffer in, Output out) {
        try {
            strict.write(in, out);
        } catch (CodingException e) {
            if (e.reason() != CodingException.Reason.TRAILING_DATA) {
                throw e;
            }
            over = true;
            tolerated.accept(Tolerance.REST);
        }
    }

    @Override
    public void end(Output out) {
        if (plain || over) {
            return;
        }
        if (recognised > 0 && recognised < GZIP.length) {
            plain = true;
            tolerated.accept(Tolerance.PLAIN);
            out.write(start());
            return;
        }
        try {
            strict.end(out);
        } catch (CodingException e) {
            switch (e.reason()) {
                case TRUNCATED -> tolerated.accept(Tolerance.CUT);
                case TRAILING_DATA -> tolerated.accept(Tolerance.REST);
                default -> throw e;
            }
        }
    }

    @Override
    public boolean hasFreeText() {
        return strict.hasFreeText();
    }

    @Override
    public void close() {
        strict.close();
    }
}

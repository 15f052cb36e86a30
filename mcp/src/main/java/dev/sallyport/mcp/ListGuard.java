package dev.sallyport.mcp;

import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * Refuses a body that is too long to be judged as soon as something in it may have to be filtered. One instance serves one
 * body.
 */
final class ListGuard implements BodyCheck {

    private final Needles needles;
    private final Supplier<LateRejectException> refusal;

    /** The last bytes that have gone on, and room for the first ones that follow. */
    private final byte[] seam = new byte[2 * (Needles.LENGTH - 1)];

    private int seen;

    /** @param refusal what is thrown at the first place where a list may be named */
    ListGuard(Needles needles, Supplier<LateRejectException> refusal) {
        this.needles = needles;
        this.refusal = refusal;
    }

    @Override
    public void data(ByteBuffer in) {
        int from = in.position();
        int to = in.limit();
        int first = Math.min(to - from, Needles.LENGTH - 1);
        in.get(from, seam, seen, first);
        if (needles.in(ByteBuffer.wrap(seam), 0, seen + first) || needles.in(in, from, to)) {
            throw refusal.get();
        }
        if (to - from >= Needles.LENGTH - 1) {
            seen = Needles.LENGTH - 1;
            in.get(to - seen, seam, 0, seen);
        } else {
            int all = seen + first;
            int kept = Math.min(all, Needles.LENGTH - 1);
            System.arraycopy(seam, all - kept, seam, 0, kept);
            seen = kept;
        }
    }

    @Override
    public void end() {}
}

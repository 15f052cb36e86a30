package dev.sallyport.mcp;

import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.LateRejectException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * Passes a body that is too long to be judged, and refuses it at the first place that may have to be filtered. One
 * instance serves one body.
 */
final class ListGuard implements BodyCheck {

    private final ListNameFinder finder;
    private final Supplier<LateRejectException> refusal;

    /** The last bytes that were passed on, and room for the next ones. */
    private final byte[] seam = new byte[2 * (ListNameFinder.LENGTH - 1)];

    private int seen;

    /** @param refusal thrown at the first place where a list may be named */
    ListGuard(ListNameFinder finder, Supplier<LateRejectException> refusal) {
        this.finder = finder;
        this.refusal = refusal;
    }

    @Override
    public void data(ByteBuffer in) {
        int from = in.position();
        int to = in.limit();
        int first = Math.min(to - from, ListNameFinder.LENGTH - 1);
        in.get(from, seam, seen, first);
        if (finder.in(ByteBuffer.wrap(seam), 0, seen + first) || finder.in(in, from, to)) {
            throw refusal.get();
        }
        if (to - from >= ListNameFinder.LENGTH - 1) {
            seen = ListNameFinder.LENGTH - 1;
            in.get(to - seen, seam, 0, seen);
        } else {
            int all = seen + first;
            int kept = Math.min(all, ListNameFinder.LENGTH - 1);
            System.arraycopy(seam, all - kept, seam, 0, kept);
            seen = kept;
        }
    }

    @Override
    public void end() {}
}

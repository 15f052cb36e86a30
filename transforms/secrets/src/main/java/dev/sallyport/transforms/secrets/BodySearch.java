package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.Swapper;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Finds out which placeholders a body has, in whatever form, and changes nothing. */
final class BodySearch implements BodyRewriter.Sink {

    private BodySearch() {}

    static BitSet placeholders(Body body, @Nullable String contentType, Swapper swapper) {
        BitSet found = new BitSet();
        BodyRewriter rewriter = swapper.body(contentType, token -> {
            found.set(token);
            return false;
        });
        BodySearch nowhere = new BodySearch();
        rewriter.write(body.bytes(), nowhere);
        rewriter.end(nowhere);
        return found;
    }

    @Override
    public void write(ByteBuffer bytes) {
        // Only the search counts.
    }

    @Override
    public void forward(int index, int length) {
        // Only the search counts.
    }
}

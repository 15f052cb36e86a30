package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Looks for placeholders in a body that is forwarded unchanged, as far as it can be read. The {@link #guard} behind it
 * aborts the body before the whole of a refused placeholder has left.
 */
final class BodyWatch implements BodyObserver {

    private static final BodyRewriter.Sink NOWHERE = new BodyRewriter.Sink() {
        @Override
        public void write(ByteBuffer bytes) {
            // Only the search matters, not the output.
        }

        @Override
        public void forward(int index, int length) {
            // Only the search matters, not the output.
        }
    };

    private final BodyRewriter search;

    BodyWatch(PlaceholderReplacer replacer, @Nullable String contentType, PlaceholderResolver resolver) {
        this.search = replacer.body(contentType, token -> {
            resolver.look(token, RequestPart.BODY, "", "body");
            return null;
        });
    }

    /** Finds the placeholders in a body, in any form. */
    static BitSet placeholders(Body body, PlaceholderReplacer replacer, @Nullable String contentType) {
        BitSet found = new BitSet();
        BodyRewriter search = replacer.body(contentType, token -> {
            found.set(token);
            return null;
        });
        search.write(body.bytes(), NOWHERE);
        search.end(NOWHERE);
        return found;
    }

    /** Refuses a body as soon as the search has seen a refused placeholder. */
    static BodyCheck guard(PlaceholderResolver resolver) {
        return new BodyCheck() {
            @Override
            public void data(ByteBuffer bytes) {
                resolver.requireNoneRefused();
            }

            @Override
            public void end() {
                resolver.requireNoneRefused();
            }
        };
    }

    @Override
    public void data(ByteBuffer bytes) {
        search.write(bytes, NOWHERE);
    }

    @Override
    public void end(boolean complete) {
        search.end(NOWHERE);
    }
}

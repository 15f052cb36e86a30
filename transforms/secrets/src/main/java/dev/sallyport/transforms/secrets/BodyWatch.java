package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.Swapper;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Looks for placeholders in a body that goes on as it is, as far as it can be read. The {@link #guard} behind it breaks the
 * body off before a placeholder that is refused has left whole.
 */
final class BodyWatch implements BodyObserver {

    private static final BodyRewriter.Sink NOWHERE = new BodyRewriter.Sink() {
        @Override
        public void write(ByteBuffer bytes) {
            // Only the search counts.
        }

        @Override
        public void forward(int index, int length) {
            // Only the search counts.
        }
    };

    private final BodyRewriter search;

    BodyWatch(Swapper swapper, @Nullable String contentType, Sightings sightings) {
        this.search = swapper.body(contentType, token -> {
            sightings.look(token, Place.BODY, "", "body");
            return null;
        });
    }

    /** Finds out which placeholders a body has, in whatever form. */
    static BitSet placeholders(Body body, Swapper swapper, @Nullable String contentType) {
        BitSet found = new BitSet();
        BodyRewriter search = swapper.body(contentType, token -> {
            found.set(token);
            return null;
        });
        search.write(body.bytes(), NOWHERE);
        search.end(NOWHERE);
        return found;
    }

    /** Refuses a body as soon as something was seen in it that is refused. */
    static BodyCheck guard(Sightings sightings) {
        return new BodyCheck() {
            @Override
            public void data(ByteBuffer bytes) {
                sightings.requireNoneRefused();
            }

            @Override
            public void end() {
                sightings.requireNoneRefused();
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

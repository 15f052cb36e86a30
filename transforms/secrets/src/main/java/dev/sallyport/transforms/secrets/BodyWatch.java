package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.scan.Swapper;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Looks for placeholders in a body that goes on as it is. The {@link #guard} behind it breaks the body off before a
 * placeholder that is refused has left whole.
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

    /** Forwards a body unchanged and fails once a refused placeholder was seen. */
    static BodyRewriter guard(Sightings sightings) {
        return new BodyRewriter() {
            @Override
            public OptionalLong length(OptionalLong in) {
                return in;
            }

            @Override
            public void write(ByteBuffer in, Sink out) {
                sightings.requireNoneRefused();
                out.forward(in.position(), in.remaining());
                in.position(in.limit());
            }

            @Override
            public void end(Sink out) {
                sightings.requireNoneRefused();
            }

            @Override
            public boolean preserves() {
                return true;
            }

            @Override
            public boolean changed() {
                return false;
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

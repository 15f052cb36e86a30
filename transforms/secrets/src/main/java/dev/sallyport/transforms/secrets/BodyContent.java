package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.toolkit.scan.Swapper;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What was found in a body that has been read.
 *
 * @param placeholders those that are in it, in whatever form
 * @param complete whether all of it was seen
 */
record BodyContent(BitSet placeholders, boolean complete) {

    static BodyContent of(RequestContext context, Swapper swapper) {
        Body body = context.body();
        return new BodyContent(
                BodyWatch.placeholders(body, swapper, Streams.contentType(context.head())), !body.truncated());
    }

    boolean has(int token) {
        return placeholders.get(token);
    }

    /** Notes the placeholders that belong elsewhere; returns the first entry that refuses one, or null. */
    @Nullable Replacement misdirected(Sightings sightings) {
        placeholders.stream().forEach(token -> sightings.look(token, Place.BODY, "", "body"));
        return sightings.refusing();
    }
}

package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The placeholders found in a body that has been read.
 *
 * @param placeholders the placeholders in it, in any form
 * @param complete whether the whole body was seen
 */
record BodyContent(BitSet placeholders, boolean complete) {

    static BodyContent of(RequestContext context, PlaceholderReplacer replacer) {
        Body body = context.body();
        return new BodyContent(
                BodyWatch.placeholders(body, replacer, StreamEdits.contentType(context.head())), !body.truncated());
    }

    boolean has(int token) {
        return placeholders.get(token);
    }

    /** Records placeholders that belong elsewhere; returns the first entry that refuses one, or null. */
    @Nullable Replacement misdirected(PlaceholderResolver resolver) {
        placeholders.stream().forEach(token -> resolver.look(token, RequestPart.BODY, "", "body"));
        return resolver.refusing();
    }
}

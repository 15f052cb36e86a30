package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.TrailerEditor;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import dev.sallyport.toolkit.scan.UnsafeValueException;
import org.jspecify.annotations.Nullable;

/** Swaps placeholders in the trailer fields of one request, as in its header fields. */
final class TrailerSwap implements TrailerEditor, PlaceholderReplacer.Choice {

    private final Plan plan;
    private final PlaceholderResolver resolver;
    private String name = "";
    private long added;
    private Edits.Builder carried = Edits.builder();

    TrailerSwap(Plan plan, PlaceholderResolver resolver) {
        this.plan = plan;
        this.resolver = resolver;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The replacer returns the same instance when nothing was replaced.
    public Edits edit(Headers trailers) {
        Edits.Builder edits = Edits.builder().sensitive();
        carried = edits;
        for (int i = 0; i < trailers.size(); i++) {
            name = trailers.name(i);
            if (plan.scansHeader(name)) {
                String before = trailers.value(i);
                String after = swap(before);
                if (before != after) {
                    edits.overPlaintext(resolver.overPlaintext());
                    edits.setHeaderValue(name, HeadSwap.occurrence(trailers, i), after);
                }
            }
        }
        return edits.build();
    }

    private String swap(String before) {
        try {
            return plan.replacer().header(before, this);
        } catch (UnsafeValueException e) {
            throw new LateRejectException(Refusals.unusable());
        }
    }

    @Override
    public byte @Nullable [] value(int placeholder) {
        PlaceholderResolver.Found found =
                resolver.find(placeholder, RequestPart.HEADER, name, "trailer:" + HeaderNames.canonical(name));
        if (found == null) {
            return null;
        }
        byte[] value = found.value().bytes();
        added += value.length;
        if (added > HeadSwap.MOST_ADDED) {
            throw new LateRejectException(Refusals.headTooLarge());
        }
        carried.credential(found.entry().credential().current());
        return value;
    }
}

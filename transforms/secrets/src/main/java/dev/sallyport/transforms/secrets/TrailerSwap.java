package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.TrailerEditor;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.scan.Swapper;
import dev.sallyport.toolkit.scan.UnsafeValueException;
import org.jspecify.annotations.Nullable;

/** Swaps placeholders in the trailer fields of one request, as in its header fields. */
final class TrailerSwap implements TrailerEditor, Swapper.Choice {

    private final Plan plan;
    private final Sightings sightings;
    private String name = "";
    private long added;
    private Edits.Builder carried = Edits.builder();

    TrailerSwap(Plan plan, Sightings sightings) {
        this.plan = plan;
        this.sightings = sightings;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the swapper's way to say that nothing was replaced
    public Edits edit(Headers trailers) {
        Edits.Builder edits = Edits.builder().sensitive();
        carried = edits;
        for (int i = 0; i < trailers.size(); i++) {
            name = trailers.name(i);
            if (plan.scansHeader(name)) {
                String before = trailers.value(i);
                String after = swap(before);
                if (before != after) {
                    edits.overPlaintext(sightings.overPlaintext());
                    edits.setHeaderValue(name, HeadSwap.occurrence(trailers, i), after);
                }
            }
        }
        return edits.build();
    }

    private String swap(String before) {
        try {
            return plan.swapper().header(before, this);
        } catch (UnsafeValueException e) {
            throw new LateRejectException(Refusals.unusable());
        }
    }

    @Override
    public byte @Nullable [] value(int placeholder) {
        Replacement chosen =
                sightings.chosen(placeholder, Place.HEADER, name, "trailer:" + HeaderNames.canonical(name));
        if (chosen == null) {
            return null;
        }
        byte[] value = chosen.secret().value().bytes();
        added += value.length;
        if (added > HeadSwap.MOST_ADDED) {
            throw new LateRejectException(Refusals.headTooLarge());
        }
        carried.credential(chosen.credential().current());
        return value;
    }
}

package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Finds orders of transforms that probably do not do what was meant. Warnings say what goes wrong and which two entries
 * to exchange; a configuration that the specification allows always loads unless {@code lint: strict} says otherwise.
 * Looks at declarations only: nothing is made.
 */
public final class Lint {

    /**
     * A warning.
     *
     * @param entry the later of the two entries
     */
    public record Warning(TransformEntry<?> entry, String text) {}

    private record Place(int position, TransformEntry<?> entry, Capabilities capabilities) {

        @Override
        public String toString() {
            return "transforms[" + position + "] (" + entry.name() + ")";
        }

        boolean causes(Effect effect) {
            return capabilities.effects().contains(effect);
        }
    }

    private Lint() {}

    /** Looks at every pair of entries, in the order of the list. */
    public static List<Warning> check(List<? extends TransformEntry<?>> entries) {
        List<Place> places = new ArrayList<>();
        for (TransformEntry<?> entry : entries) {
            places.add(new Place(places.size(), entry, entry.capabilities()));
        }
        List<Warning> warnings = new ArrayList<>();
        for (Place later : places) {
            for (Place earlier : places.subList(0, later.position())) {
                pair(earlier, later, warnings);
            }
        }
        return warnings;
    }

    /** Whether a transform with these capabilities may be asked about one of these destinations; in doubt yes. */
    public static boolean mayMeet(Capabilities capabilities, List<Rule> destinations) {
        return Rules.mayOverlap(capabilities.scope(), destinations);
    }

    private static void pair(Place earlier, Place later, List<Warning> warnings) {
        if (!Rules.mayOverlap(
                earlier.capabilities().effectScope(), later.capabilities().effectScope())) {
            return;
        }
        if (earlier.causes(Effect.INJECTS_CREDENTIAL) && later.causes(Effect.DISCLOSES_CONTENT)) {
            warnings.add(warning(
                    earlier,
                    later,
                    later.capabilities().seesCredentials()
                            ? "discloses the credentials that %s has put in"
                            : "sees requests after %s has put credentials in; they are masked"));
        }
        if (earlier.causes(Effect.STRIPS_UNKNOWN) && later.causes(Effect.INJECTS_CREDENTIAL)) {
            warnings.add(warning(earlier, later, "adds what %s no longer strips; headers added here are not checked"));
        }
        if (earlier.causes(Effect.SIGNS) && writesRequest(later)) {
            warnings.add(warning(earlier, later, "may change what %s has signed, which breaks the signature"));
        }
    }

    private static boolean writesRequest(Place place) {
        Set<Part> signed = EnumSet.of(
                Part.METHOD, Part.PATH, Part.QUERY, Part.REQUEST_HEADERS, Part.REQUEST_BODY, Part.REQUEST_TRAILERS);
        signed.retainAll(place.capabilities().writes());
        return !signed.isEmpty();
    }

    private static Warning warning(Place earlier, Place later, String fault) {
        return new Warning(
                later.entry(), later + " " + fault.formatted(earlier.toString()) + "; exchange the two entries");
    }
}

package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Rule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

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

        boolean writes(Set<Part> parts) {
            return !Collections.disjoint(capabilities.writes(), parts);
        }
    }

    private static final Set<Part> FIELDS = EnumSet.of(Part.REQUEST_HEADERS, Part.REQUEST_TRAILERS);
    private static final Set<Part> REQUEST = EnumSet.of(
            Part.METHOD, Part.PATH, Part.QUERY, Part.REQUEST_HEADERS, Part.REQUEST_BODY, Part.REQUEST_TRAILERS);

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
            disclosure(earlier, later, warnings);
        }
        if (earlier.causes(Effect.STRIPS_UNKNOWN) && later.causes(Effect.INJECTS_CREDENTIAL) && later.writes(FIELDS)) {
            warnings.add(warning(earlier, later, "adds what %s no longer strips; headers added here are not checked"));
        }
        // What strips by a list stands after what injects; a signed field that is not on its list is the list's fault.
        if (earlier.causes(Effect.SIGNS) && later.writes(REQUEST) && !later.causes(Effect.STRIPS_UNKNOWN)) {
            warnings.add(warning(earlier, later, "may change what %s has signed, which breaks the signature"));
        }
    }

    /** Only where the credentials may be in what is shown. */
    private static void disclosure(Place earlier, Place later, List<Warning> warnings) {
        Set<Part> shown = later.capabilities().discloses();
        if (!shown.isEmpty() && !earlier.writes(shown)) {
            return;
        }
        String what = shown.isEmpty() ? "requests" : "the " + name(shown);
        warnings.add(warning(
                earlier,
                later,
                later.capabilities().seesCredentials()
                        ? "discloses the credentials that %s has put into " + what
                        : "sees " + what + " after %s has put credentials in; they are masked"));
    }

    private static String name(Set<Part> parts) {
        return EnumSet.copyOf(parts).stream()
                .map(part -> part.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .collect(Collectors.joining(" and "));
    }

    private static Warning warning(Place earlier, Place later, String fault) {
        return new Warning(
                later.entry(), later + " " + fault.formatted(earlier.toString()) + "; exchange the two entries");
    }
}

package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Rule;
import dev.sallyport.toolkit.match.RuleGaps;
import dev.sallyport.toolkit.match.RuleRelations;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds transform orders that probably do not do what the operator meant. Warnings say what goes wrong and which two
 * entries to exchange; a section of its own, such as {@code mcp}, has its place behind all of them and is exchanged with
 * none. A configuration that the specification allows always loads, unless {@code lint: strict} says otherwise. Looks
 * at declarations only; instantiates nothing.
 */
public final class TransformOrderLint {

    /**
     * A warning.
     *
     * @param entry the later of the two entries
     * @param avoidable whether another order or other rules do what this configuration does without the fault
     */
    public record Warning(TransformEntry<?> entry, String text, boolean avoidable) {}

    private record Place(int position, TransformEntry<?> entry, Capabilities capabilities) {

        @Override
        public String toString() {
            return entry.isSection() ? entry.name() : "transforms[" + position + "] (" + entry.name() + ")";
        }

        boolean causes(Effect effect) {
            return capabilities.effects().contains(effect);
        }

        boolean writes(Set<Part> parts) {
            return !Collections.disjoint(capabilities.writes(), parts);
        }
    }

    /** Effects of transforms that work on requests without deciding where these may go. */
    private static final Set<Effect> WORK = EnumSet.of(Effect.INJECTS_CREDENTIAL, Effect.SIGNS, Effect.STRIPS_UNKNOWN);

    private static final Set<Part> FIELDS = EnumSet.of(Part.REQUEST_HEADERS, Part.REQUEST_TRAILERS);
    private static final Set<Part> REQUEST = EnumSet.of(
            Part.METHOD, Part.PATH, Part.QUERY, Part.REQUEST_HEADERS, Part.REQUEST_BODY, Part.REQUEST_TRAILERS);

    private static final Rule EVERYTHING = Rule.host("*");

    private TransformOrderLint() {}

    /** Examines every pair of entries, in list order, and then each of them. */
    public static List<Warning> check(List<? extends TransformEntry<?>> entries) {
        List<Place> places = new ArrayList<>();
        for (TransformEntry<?> entry : entries) {
            places.add(new Place(places.size(), entry, entry.capabilities()));
        }
        List<Warning> warnings = new ArrayList<>();
        for (Place later : places) {
            for (Place earlier : places.subList(0, later.position())) {
                pair(earlier, later, warnings);
                wider(earlier, later, warnings);
                wider(later, earlier, warnings);
            }
        }
        if (!limits(entries)) {
            places.forEach(place -> unlimited(place, warnings));
        }
        return warnings;
    }

    /**
     * Whether something limits where requests may go: a transform that is asked about every destination and may refuse
     * it. A transform that does not declare what it admits is assumed to limit.
     */
    public static boolean limits(List<? extends TransformEntry<?>> entries) {
        for (TransformEntry<?> entry : entries) {
            Capabilities capabilities = entry.capabilities();
            boolean everywhere = capabilities.scope().isEmpty()
                    || capabilities.scope().stream().anyMatch(rule -> "*".equals(rule.host()));
            if (everywhere
                    && !capabilities.observer()
                    && Collections.disjoint(capabilities.effects(), WORK)
                    && capabilities.admits().stream().noneMatch(RuleRelations::isEverything)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a transform with these capabilities may be asked about one of these destinations; true in doubt. */
    public static boolean mayMeet(Capabilities capabilities, List<Rule> destinations) {
        return RuleOverlap.mayOverlap(capabilities.scope(), destinations);
    }

    private static void pair(Place earlier, Place later, List<Warning> warnings) {
        if (!RuleOverlap.mayOverlap(
                earlier.capabilities().effectScope(), later.capabilities().effectScope())) {
            return;
        }
        if (earlier.causes(Effect.INJECTS_CREDENTIAL) && later.causes(Effect.DISCLOSES_CONTENT)) {
            disclosure(earlier, later, warnings);
        }
        if (earlier.causes(Effect.STRIPS_UNKNOWN) && later.causes(Effect.INJECTS_CREDENTIAL) && later.writes(FIELDS)) {
            warnings.add(warning(earlier, later, "adds what %s no longer strips; headers added here are not checked"));
        }
        // A transform that strips by a list belongs after those that inject; a signed field missing from its list is
        // the list's fault.
        if (earlier.causes(Effect.SIGNS) && later.writes(REQUEST) && !later.causes(Effect.STRIPS_UNKNOWN)) {
            warnings.add(warning(earlier, later, "may change what %s has signed, which breaks the signature"));
        }
    }

    /**
     * Warns when the gate admits requests that the other transform never sees, to a host of which it sees others, and
     * both by one rule. A rule of its own can say what may pass unseen.
     */
    private static void wider(Place gate, Place looking, List<Warning> warnings) {
        if (!looking.capabilities().restricts()) {
            return;
        }
        List<Rule> seen = looking.capabilities().scope();
        for (Rule rule : seen) {
            for (Rule admitted : gate.capabilities().admits()) {
                if (RuleRelations.overlap(admitted, rule) && !RuleRelations.covered(admitted, rule, seen)) {
                    String host = rule.host() == null ? rule.cidr() : rule.host();
                    warnings.add(new Warning(
                            looking.entry(),
                            looking + " looks at less of " + host + " than " + gate + " lets through: "
                                    + RuleGaps.describe(admitted, rule, seen)
                                    + " pass unseen; leave paths, methods and ports out of its rules, or let in by rules"
                                    + " of their own what may pass unseen",
                            true));
                    return;
                }
            }
        }
    }

    /** Warns when nothing limits where requests go and a transform looks at some requests of a host only. */
    private static void unlimited(Place looking, List<Warning> warnings) {
        if (!looking.capabilities().restricts()) {
            return;
        }
        List<Rule> seen = looking.capabilities().scope();
        for (Rule rule : seen) {
            if (!RuleRelations.covered(EVERYTHING, rule, seen)) {
                String host = rule.host() == null ? rule.cidr() : rule.host();
                warnings.add(new Warning(
                        looking.entry(),
                        looking + " does not look at all requests of " + host + ", and nothing refuses the others: "
                                + RuleGaps.describe(EVERYTHING, rule, seen)
                                + " pass unseen; leave paths, methods and ports out of its rules",
                        true));
                return;
            }
        }
    }

    /** Warns only where the credentials may be in what is disclosed. */
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
        boolean fixed = later.entry().isSection();
        String advice = fixed ? "; let the two have hosts of their own, if they can" : "; exchange the two entries";
        return new Warning(later.entry(), later + " " + fault.formatted(earlier.toString()) + advice, !fixed);
    }
}

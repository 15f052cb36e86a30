package dev.sallyport.transforms.secrets;

import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.headers.ReservedFields;
import dev.sallyport.toolkit.scan.Placeholders;
import dev.sallyport.toolkit.scan.Swapper;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The configuration, compiled. Immutable; the values are asked for where a placeholder is found. */
final class Plan {

    private final Placeholders placeholders;
    private final List<List<Replacement>> byToken;
    private final boolean allHeaders;
    private final HeaderPatterns someHeaders;
    private final boolean query;
    private final boolean path;
    private final Group<Replacement> required;
    private final Group<Replacement> fields;
    private final Group<Replacement> bodies;
    private final Group<Replacement> uncertainBodies;
    private final List<Replacement> guardedBodies;
    private final Group<Injection> injections;
    private final List<Scoped> always;

    /**
     * @param byToken for each placeholder the entries that share it, in order
     * @param someHeaders every header that some entry scans, unless some entry scans all
     * @param fields those that scan headers
     * @param uncertainBodies those of {@code bodies} that may be without a value
     */
    Plan(
            Placeholders placeholders,
            List<List<Replacement>> byToken,
            HeaderPatterns someHeaders,
            Group<Replacement> required,
            Group<Replacement> fields,
            Group<Replacement> bodies,
            Group<Replacement> uncertainBodies,
            Group<Injection> injections) {
        this.placeholders = placeholders;
        this.byToken = byToken;
        this.someHeaders = someHeaders;
        this.required = required;
        this.fields = fields;
        this.bodies = bodies;
        this.uncertainBodies = uncertainBodies;
        this.guardedBodies = bodies.entries().stream()
                .filter(Replacement::rejectsMisdirected)
                .toList();
        this.injections = injections;
        this.always = always(byToken, injections.entries());
        List<SecretsConfig.Replace> all =
                byToken.stream().flatMap(List::stream).map(Replacement::config).toList();
        this.allHeaders =
                all.stream().anyMatch(r -> r.scanHeaders() && r.matchHeaders().isEmpty());
        this.query = all.stream().anyMatch(SecretsConfig.Replace::matchQuery);
        this.path = all.stream().anyMatch(SecretsConfig.Replace::matchPath);
    }

    Swapper swapper() {
        return placeholders.swapper();
    }

    /** Entries whose placeholder must be there. */
    Group<Replacement> required() {
        return required;
    }

    /** Entries that scan headers, and with them trailers. */
    Group<Replacement> fields() {
        return fields;
    }

    /** Entries that scan bodies. */
    Group<Replacement> bodies() {
        return bodies;
    }

    /** Entries that scan bodies and may be without a value. */
    Group<Replacement> uncertainBodies() {
        return uncertainBodies;
    }

    /** Entries that scan bodies and refuse those that take the placeholder elsewhere. */
    List<Replacement> guardedBodies() {
        return guardedBodies;
    }

    Group<Injection> injections() {
        return injections;
    }

    boolean scansBodies() {
        return !bodies.entries().isEmpty();
    }

    /** Whether a verdict may depend on what is in a body, beyond {@code require}. */
    boolean judgesBodies() {
        return !uncertainBodies.entries().isEmpty() || !guardedBodies.isEmpty();
    }

    /** Whether some entry scans headers. */
    boolean scansHeaders() {
        return !fields.entries().isEmpty();
    }

    /** Entries whose value is looked for in every response inside their rules. */
    List<Scoped> always() {
        return always;
    }

    private static List<Scoped> always(List<List<Replacement>> byToken, List<Injection> injections) {
        List<Scoped> all = new ArrayList<>();
        byToken.forEach(all::addAll);
        all.addAll(injections);
        all.removeIf(entry -> !entry.credential().always());
        return List.copyOf(all);
    }

    /** Whether some entry scans this header. */
    boolean scansHeader(String name) {
        return (allHeaders || someHeaders.matches(name)) && !ReservedFields.isReserved(name);
    }

    boolean scansQuery() {
        return query;
    }

    boolean scansPath() {
        return path;
    }

    /** The first entry with this placeholder that scans this place and is for this target, or null. */
    @Nullable Replacement choose(int token, Place place, String headerName, Target target) {
        List<Replacement> sharing = byToken.get(token);
        for (int i = 0; i < sharing.size(); i++) {
            Replacement replacement = sharing.get(i);
            if (replacement.scans(place, headerName) && target.within(replacement.rules())) {
                return replacement;
            }
        }
        return null;
    }

    /**
     * Notes the entries with this placeholder that scan this place, where {@link #choose} has found none for the target.
     *
     * @return the first of them that refuses such requests, or null
     */
    @Nullable Replacement misdirected(int token, Place place, String headerName, String location, Uses noted) {
        Replacement refusing = null;
        for (Replacement replacement : byToken.get(token)) {
            if (replacement.scans(place, headerName)) {
                noted.add(replacement.secret().name(), location);
                if (refusing == null && replacement.rejectsMisdirected()) {
                    refusing = replacement;
                }
            }
        }
        return refusing;
    }
}

package dev.sallyport.transforms.secrets;

import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.headers.ReservedFields;
import dev.sallyport.toolkit.scan.PlaceholderReplacer;
import dev.sallyport.toolkit.scan.Placeholders;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The compiled configuration. Immutable; values are read when a placeholder is found. */
final class Plan {

    private final Placeholders placeholders;
    private final List<List<Replacement>> byToken;
    private final boolean allHeaders;
    private final HeaderPatterns someHeaders;
    private final boolean query;
    private final boolean path;
    private final EntryGroup<Replacement> required;
    private final EntryGroup<Replacement> fields;
    private final EntryGroup<Replacement> bodies;
    private final EntryGroup<Replacement> uncertainBodies;
    private final List<Replacement> guardedBodies;
    private final EntryGroup<Injection> injections;
    private final List<ScopedEntry> always;
    private final boolean contested;

    /**
     * @param byToken the entries that share each placeholder, in order
     * @param someHeaders every header that some entry scans, unless some entry scans all
     * @param fields the entries that scan headers
     * @param uncertainBodies the entries of {@code bodies} whose value may be unavailable
     */
    Plan(
            Placeholders placeholders,
            List<List<Replacement>> byToken,
            HeaderPatterns someHeaders,
            EntryGroup<Replacement> required,
            EntryGroup<Replacement> fields,
            EntryGroup<Replacement> bodies,
            EntryGroup<Replacement> uncertainBodies,
            EntryGroup<Injection> injections) {
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
        this.contested = injections.entries().stream()
                        .map(Injection::location)
                        .distinct()
                        .count()
                < injections.entries().size();
        List<SecretsConfig.Replace> all =
                byToken.stream().flatMap(List::stream).map(Replacement::config).toList();
        this.allHeaders =
                all.stream().anyMatch(r -> r.scanHeaders() && r.matchHeaders().isEmpty());
        this.query = all.stream().anyMatch(SecretsConfig.Replace::matchQuery);
        this.path = all.stream().anyMatch(SecretsConfig.Replace::matchPath);
    }

    PlaceholderReplacer replacer() {
        return placeholders.replacer();
    }

    /** Entries whose placeholder is required. */
    EntryGroup<Replacement> required() {
        return required;
    }

    /** Entries that scan headers, and therefore trailers. */
    EntryGroup<Replacement> fields() {
        return fields;
    }

    /** Entries that scan bodies. */
    EntryGroup<Replacement> bodies() {
        return bodies;
    }

    /** Entries that scan bodies and whose value may be unavailable. */
    EntryGroup<Replacement> uncertainBodies() {
        return uncertainBodies;
    }

    /** Entries that scan bodies and refuse those that carry the placeholder elsewhere. */
    List<Replacement> guardedBodies() {
        return guardedBodies;
    }

    EntryGroup<Injection> injections() {
        return injections;
    }

    /** Whether two entries inject into one place. */
    boolean contested() {
        return contested;
    }

    boolean scansBodies() {
        return !bodies.entries().isEmpty();
    }

    /** Whether a verdict may depend on the content of a body, apart from {@code require}. */
    boolean judgesBodies() {
        return !uncertainBodies.entries().isEmpty() || !guardedBodies.isEmpty();
    }

    /** Whether some entry scans headers. */
    boolean scansHeaders() {
        return !fields.entries().isEmpty();
    }

    /** Entries whose value is searched for in every response inside their rules. */
    List<ScopedEntry> always() {
        return always;
    }

    private static List<ScopedEntry> always(List<List<Replacement>> byToken, List<Injection> injections) {
        List<ScopedEntry> all = new ArrayList<>();
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

    /** The first entry with this placeholder that scans this place and matches this target, or null. */
    @Nullable Replacement choose(int token, RequestPart part, String headerName, Target target) {
        List<Replacement> sharing = byToken.get(token);
        for (int i = 0; i < sharing.size(); i++) {
            Replacement replacement = sharing.get(i);
            if (replacement.scans(part, headerName) && target.within(replacement.rules())) {
                return replacement;
            }
        }
        return null;
    }

    /**
     * Records the entries with this placeholder that scan this place, after {@link #choose} has found none for the
     * target.
     *
     * @return the first of them that refuses such requests, or null
     */
    @Nullable Replacement misdirected(int token, RequestPart part, String headerName, String location, UsageAnnotation noted) {
        Replacement refusing = null;
        for (Replacement replacement : byToken.get(token)) {
            if (replacement.scans(part, headerName)) {
                noted.add(replacement.secret().name(), location);
                if (refusing == null && replacement.rejectsMisdirected()) {
                    refusing = replacement;
                }
            }
        }
        return refusing;
    }
}

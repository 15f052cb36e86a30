package dev.sallyport.transforms.secrets;

import dev.sallyport.toolkit.headers.HeaderPatterns;
import dev.sallyport.toolkit.scan.Placeholders;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The configuration, compiled. Thread-safe; only the values change, when secrets do. */
final class Plan {

    private final Placeholders placeholders;
    private final List<List<Replacement>> byToken;
    private final int layers;
    private final int entries;
    private final boolean allHeaders;
    private final HeaderPatterns someHeaders;
    private final boolean query;
    private final boolean path;
    private final Group<Replacement> required;
    private final Group<Replacement> bodies;
    private final Group<Injection> injections;
    private volatile Values values;

    /**
     * @param byToken for each placeholder the entries that share it, in order
     * @param someHeaders every header that some entry scans, unless some entry scans all
     */
    Plan(
            Placeholders placeholders,
            List<List<Replacement>> byToken,
            int entries,
            HeaderPatterns someHeaders,
            Group<Replacement> required,
            Group<Replacement> bodies,
            Group<Injection> injections) {
        this.placeholders = placeholders;
        this.byToken = byToken;
        this.entries = entries;
        this.someHeaders = someHeaders;
        this.required = required;
        this.bodies = bodies;
        this.injections = injections;
        this.layers = byToken.stream().mapToInt(List::size).max().orElse(0);
        List<SecretsConfig.Replace> all =
                byToken.stream().flatMap(List::stream).map(Replacement::config).toList();
        this.allHeaders =
                all.stream().anyMatch(r -> r.scanHeaders() && r.matchHeaders().isEmpty());
        this.query = all.stream().anyMatch(SecretsConfig.Replace::matchQuery);
        this.path = all.stream().anyMatch(SecretsConfig.Replace::matchPath);
        this.values = freshValues();
    }

    /** Entries whose placeholder must be there. */
    Group<Replacement> required() {
        return required;
    }

    /** Entries that scan bodies. */
    Group<Replacement> bodies() {
        return bodies;
    }

    Group<Injection> injections() {
        return injections;
    }

    /** All entries, those that replace first. */
    List<Scoped> entries() {
        List<Scoped> all = new ArrayList<>();
        byToken.forEach(all::addAll);
        all.addAll(injections.entries());
        return all;
    }

    /** Whether some entry scans this header. */
    boolean scansHeader(String name) {
        return (allHeaders || someHeaders.matches(name)) && !EngineHeaders.contains(name);
    }

    boolean scansQuery() {
        return query;
    }

    boolean scansPath() {
        return path;
    }

    /** The values as last taken. */
    Values values() {
        return values;
    }

    /** Takes the values anew. */
    Values refresh() {
        Values fresh = freshValues();
        values = fresh;
        return fresh;
    }

    private Values freshValues() {
        return Values.of(placeholders, byToken, layers, entries);
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
}

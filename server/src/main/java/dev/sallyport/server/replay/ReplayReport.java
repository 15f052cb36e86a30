package dev.sallyport.server.replay;

import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.core.explain.SourceLocation;
import dev.sallyport.core.explain.TransformOutcome;
import dev.sallyport.server.record.RecordedExchange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a {@link Replay} has found. Its size depends on the rules, not on the number of exchanges. Not thread-safe. */
public final class ReplayReport {

    private final Map<FlipGroup.Cause, FlipGroup> groups = new LinkedHashMap<>();
    private final Map<String, Long> undecidable = new TreeMap<>();
    private long unchanged;
    private long assumed;
    private long flips;
    private long open;

    ReplayReport() {}

    /** @param alsoByHeaders whether a transform looked at headers, and let it pass without them */
    void unchanged(boolean alsoByHeaders) {
        unchanged++;
        assumed += alsoByHeaders ? 1 : 0;
    }

    void undecidable(String why) {
        open++;
        undecidable.merge(why, 1L, Long::sum);
    }

    void flip(RecordedExchange exchange, Verdict before, Explanation now) {
        flips++;
        String transform = transform(exchange, now);
        FlipGroup.Cause cause = new FlipGroup.Cause(transform, rule(transform, now), before, now.verdict());
        groups.computeIfAbsent(cause, FlipGroup::new)
                .add(new Flip(
                        exchange.at(),
                        exchange.exchangeId(),
                        exchange.method(),
                        url(exchange, now),
                        before,
                        now.verdict(),
                        now.code()));
    }

    private static String transform(RecordedExchange exchange, Explanation now) {
        String decides = now.decidedBy();
        if (decides != null) {
            return decides;
        }
        String refused = exchange.rejectedBy() == null ? exchange.stubbedBy() : exchange.rejectedBy();
        return now.verdict() == Verdict.ALLOW && refused != null ? refused : "";
    }

    /** Of what passes now, the rule by which the transform that had refused it lets it pass. */
    private static @Nullable SourceLocation rule(String transform, Explanation now) {
        if (now.verdict() != Verdict.ALLOW) {
            return now.rule();
        }
        for (TransformOutcome outcome : now.transforms()) {
            if (outcome.name().equals(transform)) {
                return outcome.rule() == null ? outcome.entry() : outcome.rule();
            }
        }
        return null;
    }

    private static String url(RecordedExchange exchange, Explanation now) {
        Explanation.Target to = now.destination();
        boolean tls = to == null || to.secure();
        String host = exchange.host().indexOf(':') >= 0 ? "[" + exchange.host() + "]" : exchange.host();
        if (exchange.path().isEmpty()) {
            return host + ":" + exchange.port();
        }
        String port = exchange.port() == (tls ? 443 : 80) ? "" : ":" + exchange.port();
        return (tls ? "https://" : "http://") + host + port + exchange.path();
    }

    /** The flips, by their causes, in the order in which they were found. */
    public List<FlipGroup> groups() {
        return List.copyOf(groups.values());
    }

    /** Why verdicts were undecidable, and how many. */
    public Map<String, Long> undecidable() {
        return Map.copyOf(undecidable);
    }

    /** The number of exchanges whose verdict would change. */
    public long flipCount() {
        return flips;
    }

    /** The number of exchanges of whose verdict nothing can be said. */
    public long undecidableCount() {
        return open;
    }

    /** The number of exchanges whose verdict would stay. */
    public long unchangedCount() {
        return unchanged;
    }

    /** How many of those a transform let pass that looked at headers, which records do not have. */
    public long assumedCount() {
        return assumed;
    }
}

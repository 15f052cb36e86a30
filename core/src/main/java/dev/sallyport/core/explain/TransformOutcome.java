package dev.sallyport.core.explain;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one transform did about a request.
 *
 * @param name the transform's name
 * @param instance the name that tells it from others of its kind; empty when it has none
 * @param phase {@code connect} before a tunnel opens, {@code request} about the request
 * @param action {@code allow}, {@code reject}, {@code stub}, {@code error} or {@code undecidable}
 * @param error what went wrong, or null
 * @param entry where the transform stands in the configuration
 * @param rules the rules of its configuration that matched, in the order in which it asked; the one that a refusal
 *     names comes first
 * @param edits what it changed
 * @param annotations its notes, as an audit record would have them
 */
public record TransformOutcome(
        String name,
        String instance,
        String phase,
        String action,
        @Nullable String error,
        SourceLocation entry,
        List<SourceLocation> rules,
        List<MaskedEdit> edits,
        Map<String, Object> annotations) {

    public TransformOutcome {
        rules = List.copyOf(rules);
        edits = List.copyOf(edits);
    }

    /** The rule that decided, or null when none did. */
    public @Nullable SourceLocation rule() {
        return rules.isEmpty() ? null : rules.getFirst();
    }
}

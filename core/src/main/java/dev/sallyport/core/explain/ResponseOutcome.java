package dev.sallyport.core.explain;

import java.util.List;

/**
 * What one transform would do about the response.
 *
 * @param name the transform's name
 * @param instance the name that tells it from others of its kind; empty when it has none
 * @param entry where the transform stands in the configuration
 * @param action {@code allow}, {@code reject}, {@code stub} or {@code error}; {@code undecidable} where the response
 *     decides, or somebody who would have to be asked
 * @param detail what decides, or what it would refuse with; empty where there is nothing to say
 * @param edits what it would change in any case
 */
public record ResponseOutcome(
        String name, String instance, SourceLocation entry, String action, String detail, List<MaskedEdit> edits) {

    public ResponseOutcome {
        edits = List.copyOf(edits);
    }
}

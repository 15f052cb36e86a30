package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries with the union of their rules, so that a request that none of them matches costs one look-up.
 *
 * @param union null when some entry matches everything
 */
record EntryGroup<T extends ScopedEntry>(
        List<T> entries, @Nullable RuleSet union) {

    boolean mayMatch(RequestContext context) {
        return !entries.isEmpty() && (union == null || union.match(context) != RuleSet.NO_MATCH);
    }
}

package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries that are asked one by one, and the union of their rules, so that a request that none of them is for costs one
 * look-up.
 *
 * @param union null when some entry is for everything
 */
record Group<T extends Scoped>(List<T> entries, @Nullable RuleSet union) {

    boolean mayMatch(RequestContext context) {
        return !entries.isEmpty() && (union == null || union.match(context) != RuleSet.NO_MATCH);
    }
}

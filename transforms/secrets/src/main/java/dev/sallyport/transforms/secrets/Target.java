package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import org.jspecify.annotations.Nullable;

/** What rules are compared with. Keeps values only, so that it outlives the call that it was made in. */
record Target(Destination destination, String method, String decodedPath) {

    static Target of(RequestContext context) {
        return new Target(
                context.destination(), context.head().method(), context.head().decodedPath());
    }

    /** Whether rules match; no rules match everything. */
    boolean within(@Nullable RuleSet rules) {
        return rules == null || rules.match(destination, method, decodedPath) != RuleSet.NO_MATCH;
    }
}

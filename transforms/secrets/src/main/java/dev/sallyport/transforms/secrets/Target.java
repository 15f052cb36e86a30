package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The destination, method and path with which rules are compared. Holds only values, so that it may outlive the call in
 * which it was made.
 */
record Target(Destination destination, String method, String decodedPath) {

    static Target of(RequestContext context) {
        return new Target(
                context.destination(), context.head().method(), context.head().decodedPath());
    }

    /** Whether rules match; null matches everything. */
    boolean within(@Nullable RuleSet rules) {
        return rules == null || rules.match(destination, method, decodedPath) != RuleSet.NO_MATCH;
    }
}

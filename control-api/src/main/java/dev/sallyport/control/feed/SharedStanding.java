package dev.sallyport.control.feed;

import dev.sallyport.control.proxy.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a workload stands at a proxy that all accounts share.
 *
 * @param id that of the proxy
 * @param appliedRevision the order number of a change of its account that is in force for it there, with all earlier ones; null
 *     for none
 * @param problems what of the policies of its account does not work there
 */
public record SharedStanding(String id, @Nullable Long appliedRevision, List<Proxy.Problem> problems) {

    public SharedStanding {
        problems = List.copyOf(problems);
    }
}

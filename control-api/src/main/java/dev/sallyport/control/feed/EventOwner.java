package dev.sallyport.control.feed;

import dev.sallyport.control.proxy.ProxyIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Whose workload it was that a proxy saw.
 *
 * @param vmId the sandbox; null for workloads that are none
 */
public record EventOwner(String organization, @Nullable String vmId) {

    /** For a proxy elsewhere: all of its workloads are those of the organization that it belongs to. */
    public static EventOwner of(ProxyIdentity proxy, String workload) {
        return new EventOwner(proxy.organizationId(), null);
    }
}

package dev.sallyport.control.proxy;

import java.util.List;

/**
 * A proxy that has shown its token.
 *
 * @param organizationId whose it is; empty for one of the installation, which serves all accounts
 * @param tags those it carries
 */
public record ProxyIdentity(String id, String organizationId, List<String> tags) {

    public ProxyIdentity {
        tags = List.copyOf(tags);
    }

    /** Whether it is one of the installation, which serves all accounts. */
    public boolean isShared() {
        return organizationId.isEmpty();
    }
}

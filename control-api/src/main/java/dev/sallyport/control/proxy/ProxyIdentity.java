package dev.sallyport.control.proxy;

import java.util.List;

/**
 * A proxy that has shown its token.
 *
 * @param tags those it carries
 */
public record ProxyIdentity(String id, String organizationId, List<String> tags) {

    public ProxyIdentity {
        tags = List.copyOf(tags);
    }
}

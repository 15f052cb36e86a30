package dev.sallyport.core.net.request;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/** Finds destinations for one connection: a request with the same Host as the previous one reuses its destination. */
public final class DestinationCache {

    private final Ingress ingress;
    private @Nullable String lastHost;
    private @Nullable Destination lastDestination;

    public DestinationCache(Ingress ingress) {
        this.ingress = ingress;
    }

    /** As {@link DestinationResolver#resolve}. */
    public Destination resolve(RequestTarget target, HeaderBlock headers, boolean hostRequired)
            throws RefusedException {
        boolean single = target.authority() == null && headers.count("Host") == 1;
        String host = single ? headers.first("Host") : null;
        if (host != null && host.equals(lastHost) && lastDestination != null) {
            return lastDestination;
        }
        Destination destination = DestinationResolver.resolve(ingress, target, headers, hostRequired);
        if (host != null) {
            lastHost = host;
            lastDestination = destination;
        }
        return destination;
    }
}

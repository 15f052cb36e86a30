package dev.sallyport.core.net;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Destination;
import org.jspecify.annotations.Nullable;

/** Finds destinations for one connection: a target with the Host of the request before goes where that went. */
final class DestinationMemo {

    private final Entrance entrance;
    private @Nullable String lastHost;
    private @Nullable Destination lastDestination;

    DestinationMemo(Entrance entrance) {
        this.entrance = entrance;
    }

    /** As {@link DestinationResolver#resolve}. */
    Destination resolve(RequestTarget target, HeaderBlock headers, boolean hostRequired) throws Refused {
        boolean single = target.authority() == null && headers.count("Host") == 1;
        String host = single ? headers.first("Host") : null;
        if (host != null && host.equals(lastHost) && lastDestination != null) {
            return lastDestination;
        }
        Destination destination = DestinationResolver.resolve(entrance, target, headers, hostRequired);
        if (host != null) {
            lastHost = host;
            lastDestination = destination;
        }
        return destination;
    }
}

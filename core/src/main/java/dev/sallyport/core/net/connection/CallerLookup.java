package dev.sallyport.core.net.connection;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.spi.Principal;
import java.util.Objects;

/** Finds the caller of each request on one connection; callers may differ from request to request. */
public final class CallerLookup {

    private final ClientConnection connection;
    private final Exchanges.Client owner;
    private Exchanges.Client latest;

    public CallerLookup(ClientConnection connection, ConnectionInfo info) {
        this.connection = connection;
        this.owner = connection.client(info);
        this.latest = owner;
    }

    /** The caller of this request. */
    public Exchanges.Client of(DecodedRequest request) {
        Principal caller = request.caller();
        if (caller == null) {
            caller = connection.callers().ofUnreadable();
        }
        if (!Objects.equals(caller, latest.connection().principal())) {
            latest = connection.client(owner.connection().as(caller));
        }
        return latest;
    }
}

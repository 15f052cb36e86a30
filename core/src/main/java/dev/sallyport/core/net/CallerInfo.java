package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.spi.Principal;
import java.util.Objects;

/** What exchanges are told of their connection. Each request of one may be somebody else's. */
final class CallerInfo {

    private final ConnectionInfo connection;
    private ConnectionInfo latest;

    CallerInfo(ConnectionInfo connection) {
        this.connection = connection;
        this.latest = connection;
    }

    /** As whoever sends this request. */
    ConnectionInfo of(Intake request) {
        Principal caller = request.caller();
        if (caller == null) {
            return connection;
        }
        if (!Objects.equals(caller, latest.principal())) {
            latest = connection.as(caller);
        }
        return latest;
    }
}

package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.spi.Principal;
import java.util.Objects;

/** Who sends the requests of a connection. Each may be somebody else's. */
final class CallerInfo {

    private final Entry entry;
    private final Exchanges.Client connection;
    private Exchanges.Client latest;

    CallerInfo(Entry entry, ConnectionInfo info) {
        this.entry = entry;
        this.connection = entry.client(info);
        this.latest = connection;
    }

    /** Whoever sends this request. */
    Exchanges.Client of(Intake request) {
        Principal caller = request.caller();
        if (caller == null) {
            return connection;
        }
        if (!Objects.equals(caller, latest.connection().principal())) {
            latest = entry.client(connection.connection().as(caller));
        }
        return latest;
    }
}

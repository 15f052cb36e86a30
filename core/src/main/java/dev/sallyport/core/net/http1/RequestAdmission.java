package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.net.connection.CallerLookup;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.net.request.ProxyAuthenticator;
import dev.sallyport.spi.Destination;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads, admits and begins the requests of an HTTP/1.1 connection. Has no state of its own: {@link
 * ClientHttp1Connection} decides which of these steps is due. On the connection's loop.
 */
final class RequestAdmission {

    private final ClientConnection connection;
    private final Http1RequestReader reader;
    private final ConnectionInfo info;
    private final ProxyAuthenticator authenticator;
    private final CallerLookup callers;

    RequestAdmission(ClientConnection connection) {
        this.connection = connection;
        this.authenticator = connection.callers();
        this.reader = new Http1RequestReader(
                connection.ingress(), authenticator, connection.limits().headerCount());
        this.info = connection.info(ClientConnection.HTTP_1_1);
        this.callers = new CallerLookup(connection, info);
    }

    ConnectionInfo info() {
        return info;
    }

    DecodedRequest read(HttpRequest request) {
        return reader.read(request);
    }

    /** A permit for this request, or null; then a permit may be available when {@code whenAvailable} is run. */
    Exchanges.@Nullable Permit tryPermit(DecodedRequest request, Runnable whenAvailable) {
        connection.requestRead();
        return callers.of(request).tryPermit(connection.loop(), whenAvailable);
    }

    /** Records that the client left before its request could begin. */
    void gone(DecodedRequest unbegun, DisconnectReason why) {
        connection.record(callers.of(unbegun), EarlyTermination.gone(why, unbegun.head(), unbegun.destination()));
    }

    /**
     * Begins the exchange of a request, or answers it at once; returns the interior of the tunnel that it opens, if
     * any.
     */
    @Nullable ClientConnection begin(ClientHttp1Exchange exchange, DecodedRequest request, Exchanges.Permit permit) {
        RequestMessage head = request.head();
        Refusal refusal = request.refusal();
        if (refusal != null) {
            permit.refuse(exchange, head, request.destination(), refusal);
            return null;
        }
        Objects.requireNonNull(head, "head");
        Destination destination = Objects.requireNonNull(request.destination(), "destination");
        String stated = request.connect();
        if (stated == null) {
            exchange.begun(permit.begin(exchange, head, destination, request.upgrade()));
            return null;
        }
        exchange.closeAfterwards();
        Exchanges.Tunnel tunnel = permit.connect(exchange, head, destination);
        return tunnel == null
                ? null
                : connection
                        .as(
                                authenticator.latest(),
                                callers.of(request).connection().principal())
                        .inside(tunnel, destination, stated);
    }
}

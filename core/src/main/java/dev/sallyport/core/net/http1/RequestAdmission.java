package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.net.connection.CallerLookup;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Admits the next request: reads the head, waits for its (empty) end and a permit, then begins the exchange. On the
 * connection's loop.
 */
final class RequestAdmission {

    private final ClientHttp1Connection connection;
    private final ClientConnection client;
    private final ClientHttp1Decoder decoder;
    private final Http1RequestReader reader;
    private final ConnectionInfo info;
    private final CallerLookup callerInfo;

    /** Read, but not begun. */
    private @Nullable DecodedRequest pending;

    private boolean waiting;

    RequestAdmission(ClientHttp1Connection connection, ClientConnection client, ClientHttp1Decoder decoder) {
        this.connection = connection;
        this.client = client;
        this.decoder = decoder;
        this.reader = new Http1RequestReader(
                client.ingress(), client.callers(), client.limits().headerCount());
        this.info = client.info(ClientConnection.HTTP_1_1);
        this.callerInfo = new CallerLookup(client, info);
    }

    ConnectionInfo info() {
        return info;
    }

    /** Whether a request has been read and not begun. */
    boolean isPending() {
        return pending != null;
    }

    /** Whether that is for want of a permit. */
    boolean isWaiting() {
        return waiting;
    }

    /** A head has arrived. */
    void head(HttpRequest request) {
        DecodedRequest next = reader.read(request);
        pending = next;
        if (!next.bodyless()) {
            start();
        }
    }

    /** The end of a message without a body, when that is what is waited for; says whether it is. */
    boolean end(HttpContent content) {
        DecodedRequest next = pending;
        if (next == null || !next.bodyless()) {
            return false;
        }
        content.release();
        decoder.pause();
        start();
        return true;
    }

    /** Something has arrived that cannot be understood, or did not arrive in time. */
    void refuse(DecodedRequest refused) {
        pending = refused;
        start();
    }

    /** The client is gone. */
    void clear() {
        DecodedRequest unbegun = pending;
        pending = null;
        if (unbegun != null && waiting) {
            client.record(
                    callerInfo.of(unbegun),
                    EarlyTermination.gone(connection.gone(), unbegun.head(), unbegun.destination()));
        }
    }

    /** Begins what is pending, as soon as there is a permit. */
    private void start() {
        DecodedRequest next = pending;
        if (next == null || !connection.isOpen()) {
            return;
        }
        client.requestRead();
        Exchanges.Client caller = callerInfo.of(next);
        Exchanges.Permit permit = caller.tryPermit(client.loop(), this::permitted);
        if (permit == null) {
            waiting = true;
            decoder.pause();
            return;
        }
        pending = null;
        begin(connection.open(next), next, caller.connection().principal(), permit);
    }

    private void permitted() {
        if (waiting) {
            waiting = false;
            connection.permitted(this::start);
        }
    }

    private void begin(ClientHttp1Exchange current, DecodedRequest next, Principal caller, Exchanges.Permit permit) {
        RequestMessage head = next.head();
        Refusal refusal = next.refusal();
        if (refusal != null) {
            if (next.malformed()) {
                decoder.discard();
            }
            permit.refuse(current, head, next.destination(), refusal);
            return;
        }
        Objects.requireNonNull(head, "head");
        Destination destination = Objects.requireNonNull(next.destination(), "destination");
        String stated = next.connect();
        if (stated != null) {
            current.closeAfterwards();
            Exchanges.Tunnel tunnel = permit.connect(current, head, destination);
            if (tunnel != null) {
                connection.becomeTunnel(client.as(caller).inside(tunnel, destination, stated));
            }
        } else {
            current.begun(permit.begin(current, head, destination, next.upgrade()));
        }
    }
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.channel.EventLoop;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins the exchanges for requests from the protocols. All calls on the loop of the client's connection.
 *
 * <p>Every exchange needs a {@link Permit} before it begins, and only a permit can begin one, which uses it up.
 */
public interface Exchanges {

    /** As {@link #client(ConnectionInfo, BooleanSupplier)}, of a connection that stays open. */
    default Client client(ConnectionInfo connection) {
        return client(connection, () -> true);
    }

    /**
     * Makes the client of a connection. Keep it as long as requests come from there: permits are counted with it.
     *
     * @param open whether the connection is still open; any thread
     */
    Client client(ConnectionInfo connection, BooleanSupplier open);

    /**
     * Whether this caller may be allowed to switch a connection over TLS with this canonical host to another protocol than
     * WebSocket, whose halves end by themselves.
     */
    boolean maySwitch(Principal caller, String host);

    /** Whether this caller may have TCP relayed to this destination in which neither HTTP nor TLS is spoken. */
    boolean relays(Principal caller, Destination destination);

    /** A client that sends requests on a connection. */
    interface Client {

        /** The facts of this client's connection. */
        ConnectionInfo connection();

        /**
         * Takes a permit. If there is none, or others come first, the connection stops reading, and {@code
         * whenAvailable} runs on the loop once a permit may be available; once the connection has closed, it need not.
         */
        @Nullable Permit tryPermit(EventLoop loop, Runnable whenAvailable);

        /**
         * As {@link #tryPermit}, for {@link Permit#record} alone: it does not wait until something of the client may begin,
         * and {@code whenAvailable} runs whether or not the connection has closed.
         */
        @Nullable Permit tryRecord(EventLoop loop, Runnable whenAvailable);
    }

    /**
     * The right to one exchange and its audit record. Each of its methods uses it up, and one must be called, once: a
     * second call is an error.
     */
    interface Permit {

        /** Returns the permit unused. */
        void giveBack();

        /**
         * Begins an exchange. The caller has noted and removed the head's hop-by-hop fields, checked its framing and
         * resolved its destination. The exchange owns the head from now on.
         *
         * @param upgrade the protocol to which the client asks to switch, such as {@code websocket}, or null; one that the
         *     policy does not list is left out, and noted
         */
        ClientStreamListener begin(
                ClientStream downstream, RequestMessage head, Destination destination, @Nullable String upgrade);

        /**
         * Answers with a problem document and writes the audit record, without policy. Head and destination are given
         * as far as they are known.
         */
        void refuse(
                ClientStream downstream,
                @Nullable RequestMessage head,
                @Nullable Destination destination,
                Refusal refusal);

        /**
         * Judges a tunnel at connection level (docs/spec/decisions.md, section 3). When it is refused, answers through
         * the downstream, writes the audit record and returns null; otherwise no response has been sent yet. A refused
         * tunnel may open too, so that its {@link Tunnel#client} reports the refusal.
         */
        @Nullable Tunnel connect(ClientStream downstream, RequestMessage head, Destination target);

        /**
         * As {@link #connect}, for a protocol that has no room for a problem document: the record of a refusal is
         * written, and the caller answers.
         */
        TunnelVerdict admit(RequestMessage head, Destination target);

        /**
         * Judges a connection by its host alone and, if it is allowed, passes it through untouched (docs/spec/decisions.md,
         * section 3). Responds through the client.
         *
         * @param protocol what is spoken on it, such as what the ClientHello says
         */
        RelayListener pass(PassthroughClient client, Destination destination, PassedProtocol protocol);

        /**
         * As {@link #pass}, while the client is still silent, of TCP in which neither HTTP nor TLS is spoken. Responds through
         * the client.
         *
         * @return null, with the permit returned, where such TCP is not relayed: nothing is asked or dialled then
         */
        @Nullable EarlyPassage passEarly(PassthroughClient client, Destination destination);

        /**
         * Refuses a connection that would have been passed through, without policy, and writes the audit record.
         */
        void refuse(
                PassthroughClient client, @Nullable Destination destination, PassedProtocol protocol, Refusal refusal);

        /** Writes the audit record of a connection that ended before an exchange began. */
        void record(EarlyTermination ended);
    }

    /** Whether a tunnel may open. */
    sealed interface TunnelVerdict {

        /** The tunnel may open. */
        record Open(Tunnel tunnel) implements TunnelVerdict {}

        /** The tunnel is refused, and the refusal has been recorded. */
        record Denied(Refusal refusal) implements TunnelVerdict {}
    }

    /** An open tunnel. It holds no permit: a request inside takes its own. */
    interface Tunnel {

        /**
         * Makes a client for the requests inside; keep it as described there.
         *
         * @param open whether the connection is still open; any thread
         */
        Client client(ConnectionInfo inside, BooleanSupplier open);

        /**
         * The connection that carries the tunnel is there. Called once, before anything is read inside.
         *
         * @param carrier ends the connection, when a later policy refuses the target; called once at most, on the loop
         */
        void carriedBy(Runnable carrier);

        /** The connection that carries the tunnel has closed. */
        void closed();

        /** A request has been read inside: the tunnel needs no record of its own. Idempotent. */
        void used();

        /**
         * The tunnel has ended: writes its record unless {@link #used}. Idempotent.
         *
         * @param inside the protocol spoken inside
         */
        void ended(ConnectionInfo inside, EarlyTermination ended);
    }
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Where protocols hand requests over. All calls on the loop of the client's connection.
 *
 * <p>Every exchange needs a {@link Permit} before it begins, and only a permit can begin one, which uses it up.
 */
public interface Exchanges {

    /** Somebody on a connection. To be kept as long as requests come from there: permits are counted with it. */
    Client client(ConnectionInfo connection);

    /** Somebody who sends requests on a connection. */
    interface Client {

        /** The facts of the connection, as this client has it. */
        ConnectionInfo connection();

        /**
         * Takes a permit. When there is none, or others come first, the connection stops reading and {@code
         * whenAvailable} is run on the loop once it is worth asking again.
         */
        @Nullable Permit tryPermit(EventLoop loop, Runnable whenAvailable);
    }

    /**
     * The right to one exchange and its audit record. Each of its methods uses it up, and one must be called, once: a
     * second call is an error.
     */
    interface Permit {

        /** Gives it back unused. */
        void giveBack();

        /**
         * Begins an exchange. The head's hop-by-hop fields have been noted and removed, its framing is checked, its
         * destination settled. The exchange owns the head from now on.
         *
         * @param upgrade the token of a requested protocol upgrade that is carried through, such as {@code websocket},
         *     or null
         */
        ClientStreamListener begin(
                ClientStream downstream, RequestMessage head, Destination destination, @Nullable String upgrade);

        /**
         * Answers with a problem document and writes the audit record, without policy. Head and destination are as far
         * as they are known.
         */
        void refuse(
                ClientStream downstream,
                @Nullable RequestMessage head,
                @Nullable Destination destination,
                Refusal refusal);

        /**
         * Judges a tunnel at connection level (docs/spec/decisions.md, section 3). When it is refused, answers through
         * the downstream, writes the audit record and returns null; otherwise nothing has been answered yet. A refused
         * tunnel may open as well, for its {@link Tunnel#client} to say so.
         */
        @Nullable Tunnel connect(ClientStream downstream, RequestMessage head, Destination target);

        /**
         * As {@link #connect}, for a protocol that has no room for a problem document: the record of a refusal is
         * written, and the caller answers.
         */
        TunnelVerdict admit(RequestMessage head, Destination target);

        /**
         * Judges a TLS connection by its host alone and, when it is let through, has it passed on untouched
         * (docs/spec/decisions.md, section 3). Answers through the client.
         *
         * @param facts what the ClientHello says
         */
        RelayListener pass(PassthroughClient client, Destination destination, ClientHelloFacts facts);

        /** Refuses a TLS connection that would have been passed on, without policy, and writes the audit record. */
        void refuse(
                PassthroughClient client, @Nullable Destination destination, ClientHelloFacts facts, Refusal refusal);

        /** Writes the audit record of what ended before there was an exchange. */
        void record(EarlyTermination ended);
    }

    /** Whether a tunnel may open. */
    sealed interface TunnelVerdict {

        /** It may. */
        record Open(Tunnel tunnel) implements TunnelVerdict {}

        /** It may not, which has been recorded. */
        record Denied(Refusal refusal) implements TunnelVerdict {}
    }

    /** An open tunnel. It holds no permit: a request inside takes its own. */
    interface Tunnel {

        /** Somebody who sends requests inside; to be kept like any other. */
        Client client(ConnectionInfo inside);

        /** A request has been read inside: the tunnel needs no record of its own. Idempotent. */
        void used();

        /**
         * It has ended: writes its record unless {@link #used}. Idempotent.
         *
         * @param inside what was spoken in it
         */
        void ended(ConnectionInfo inside, EarlyTermination ended);
    }
}

package dev.sallyport.core.exchange;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Where protocols hand requests over. All calls on the loop of the client's connection.
 *
 * <p>Every exchange needs an audit permit before it begins: {@link #tryPermit}, then exactly one of {@link #begin},
 * {@link #refuse}, {@link #connect}, {@link #admit}, {@link #pass}, {@link #recordOnly} or {@link #returnPermit}.
 */
public interface Exchanges {

    /**
     * Takes a permit. When there is none, the connection stops reading and {@code whenAvailable} is run on the loop once
     * it is worth asking again.
     */
    boolean tryPermit(EventLoop loop, Runnable whenAvailable);

    /** Gives an unused permit back. */
    void returnPermit();

    /**
     * Begins an exchange. The head's hop-by-hop fields have been noted and removed, its framing is checked, its
     * destination settled. The exchange owns the head from now on.
     *
     * @param upgrade the token of a requested protocol upgrade that is carried through, such as {@code websocket}, or
     *     null
     */
    Upload begin(
            Downstream downstream,
            ConnectionInfo connection,
            RequestMessage head,
            Destination destination,
            @Nullable String upgrade);

    /**
     * Answers with a problem document and writes the audit record, without policy. Head and destination are as far as
     * they are known.
     */
    void refuse(
            Downstream downstream,
            ConnectionInfo connection,
            @Nullable RequestMessage head,
            @Nullable Destination destination,
            Refusal refusal);

    /**
     * Judges a tunnel at connection level (decisions, section 3). When it is refused, answers through the downstream,
     * writes the audit record and returns null; otherwise nothing has been answered yet.
     */
    @Nullable Tunnel connect(Downstream downstream, ConnectionInfo connection, RequestMessage head, Destination target);

    /**
     * As {@link #connect}, for a protocol that has no room for a problem document: the record of a refusal is written,
     * and the caller answers.
     */
    TunnelVerdict admit(EventLoop loop, ConnectionInfo connection, RequestMessage head, Destination target);

    /** Writes the audit record of a connection that ended before there was a request, such as an unknown protocol. */
    void recordOnly(ConnectionInfo connection, @Nullable Destination destination, Refusal refusal);

    /**
     * Judges a TLS connection by its host alone and, when it is let through, has it passed on untouched (decisions,
     * section 3). Answers through the client.
     *
     * @param facts what the ClientHello says
     */
    Passage pass(PassedClient client, ConnectionInfo connection, Destination destination, HelloFacts facts);

    /** Refuses a TLS connection that would have been passed on, without policy, and writes the audit record. */
    void refuse(
            PassedClient client,
            ConnectionInfo connection,
            @Nullable Destination destination,
            HelloFacts facts,
            Refusal refusal);

    /** Whether a tunnel may open. */
    sealed interface TunnelVerdict {

        /** It may. */
        record Open(Tunnel tunnel) implements TunnelVerdict {}

        /** It may not, which has been recorded. */
        record Denied(Refusal refusal) implements TunnelVerdict {}
    }

    /** An open tunnel. {@link #connect} or {@link #admit} has taken the permit back: a request inside takes its own. */
    interface Tunnel {

        /** A request has been read inside: the tunnel needs no record of its own. Idempotent. */
        void used();

        /** The tunnel has closed: writes its record unless {@link #used}. Idempotent. */
        void closed();

        /** As {@link #closed}, naming what was wrong. */
        void failed(Refusal refusal);
    }
}

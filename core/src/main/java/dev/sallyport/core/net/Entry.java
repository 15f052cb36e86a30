package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeadAccount;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection on its way through the stages: each stage hands on an entry that knows more. Immutable; used on the
 * connection's loop.
 */
final class Entry {

    static final String TCP = "tcp";
    static final String TLS = "tls";
    static final String HTTP_1_1 = "http/1.1";
    static final String SOCKS5 = "socks5";
    static final String HTTP_2 = "h2";

    private static final int TOO_MANY_REQUESTS = 429;

    private final Wiring wiring;
    private final Channel channel;
    private final InetSocketAddress peer;
    private final Entrance entrance;
    private final Principal principal;
    private final Exchanges.@Nullable Tunnel tunnel;
    private final @Nullable Beginning beginning;
    private final @Nullable String tunnelTarget;
    private final @Nullable String alpn;

    private Entry(
            Wiring wiring,
            Channel channel,
            InetSocketAddress peer,
            Entrance entrance,
            Principal principal,
            Exchanges.@Nullable Tunnel tunnel,
            @Nullable Beginning beginning,
            @Nullable String tunnelTarget,
            @Nullable String alpn) {
        this.wiring = wiring;
        this.channel = channel;
        this.peer = peer;
        this.entrance = entrance;
        this.principal = principal;
        this.tunnel = tunnel;
        this.beginning = beginning;
        this.tunnelTarget = tunnelTarget;
        this.alpn = alpn;
    }

    /** @param peer the client, who may not be the other end of the connection */
    static Entry accepted(Wiring wiring, Channel channel, Entrance entrance, InetSocketAddress peer) {
        Principal principal = wiring.principals().apply(peer);
        return new Entry(wiring, channel, peer, entrance, principal, null, null, null, null);
    }

    /** With somebody who has shown credentials. */
    Entry as(Principal caller) {
        return Objects.equals(caller, principal)
                ? this
                : new Entry(wiring, channel, peer, entrance, caller, tunnel, beginning, tunnelTarget, alpn);
    }

    /** Inside a tunnel that has just been opened; its record is written at the latest when the connection closes. */
    Entry inside(Exchanges.Tunnel opened, Destination target, String stated) {
        return new Entry(
                        wiring,
                        channel,
                        peer,
                        entrance.through(target),
                        principal,
                        opened,
                        new Beginning(),
                        stated,
                        null)
                .watched();
    }

    /** Within TLS, which the client has begun to speak. */
    Entry withTls(@Nullable String serverName) {
        Entrance within = entrance.withTls(serverName);
        return beginning != null
                ? new Entry(wiring, channel, peer, within, principal, tunnel, beginning, tunnelTarget, null)
                : new Entry(wiring, channel, peer, within, principal, null, new Beginning(), tunnelTarget, null)
                        .watched();
    }

    private Entry watched() {
        channel.closeFuture().addListener(closed -> {
            if (beginning != null) {
                ended(beginning.silence(Connections.isDraining(channel)));
            }
        });
        return this;
    }

    /** After the handshake of TLS, with the protocol that was negotiated. */
    Entry negotiated(@Nullable String protocol) {
        return new Entry(wiring, channel, peer, entrance, principal, tunnel, beginning, tunnelTarget, protocol);
    }

    /** Says who sends a request. */
    Callers callers() {
        return new Callers(wiring.users(), entrance, principal);
    }

    Wiring wiring() {
        return wiring;
    }

    HttpLimits limits() {
        return wiring.limits();
    }

    /** An account of this connection for its heads, until it closes. */
    HeadAccount heads() {
        HeadAccount account =
                wiring.heads().open(loop(), new Owner(Connections.Peer.of(peer.getAddress()), principal.workload()));
        channel.closeFuture().addListener(closed -> account.close());
        return account;
    }

    /** Whose connections share in the budget for heads as one. */
    private record Owner(Connections.Peer peer, String workload) {

        // Written out, since the first connection waits while Java makes what it would generate.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Owner owner && owner.peer.equals(peer) && owner.workload.equals(workload);
        }

        @Override
        public int hashCode() {
            return 31 * peer.hashCode() + workload.hashCode();
        }
    }

    Channel channel() {
        return channel;
    }

    EventLoop loop() {
        return channel.eventLoop();
    }

    /** The client's address. */
    InetSocketAddress peer() {
        return peer;
    }

    Entrance entrance() {
        return entrance;
    }

    /** The facts for policy and audit. */
    ConnectionInfo info(String protocol) {
        return new ConnectionInfo(
                entrance.listener(),
                entrance.secure() ? TLS : TCP,
                protocol,
                peer,
                (InetSocketAddress) channel.localAddress(),
                entrance.sni(),
                alpn,
                tunnelTarget,
                principal);
    }

    /** What comes from here has got as far as this. */
    void reached(Beginning.Stage stage) {
        if (beginning != null) {
            beginning.reached(stage);
        }
    }

    /**
     * A request has been read. This comes before its permit is asked for: were tunnels to keep their own meanwhile, they
     * could wait for each other.
     */
    void requestRead() {
        if (beginning != null && beginning.settle() && tunnel != null) {
            tunnel.used();
        }
    }

    /** Somebody who sends requests here. */
    Exchanges.Client client(ConnectionInfo info) {
        return tunnel == null ? wiring.exchanges().client(info) : tunnel.client(info);
    }

    /** What nobody can make sense of. */
    static Refusal unreadable(String code, String detail) {
        return new Refusal(400, code, detail, "http_request_error");
    }

    /** Closes what did not get as far as a request, with an audit record. */
    void reject(String code, String detail) {
        ended(Ended.refused(unreadable(code, detail)));
        channel.close();
    }

    /**
     * Says why there will be no request, which goes into the tunnel's record, or into one of its own. What is said first
     * counts. The connection is the caller's to close, afterwards.
     */
    void ended(Ended why) {
        if (beginning == null) {
            record(info(TCP), why);
        } else if (beginning.settle()) {
            boolean secure = entrance.secure();
            ConnectionInfo inside = info(secure ? TLS : TCP);
            if (tunnel != null) {
                tunnel.ended(inside, why);
            } else {
                record(inside, why);
            }
        }
    }

    /** Records why a connection was ended that had got further than that; in a tunnel without requests it is the tunnel's. */
    void broken(ConnectionInfo info, Refusal refusal, boolean requestsRead) {
        Ended why = Ended.refused(refusal);
        if (requestsRead || beginning == null) {
            record(info, why);
        } else {
            ended(why);
        }
    }

    /**
     * Closes a connection that is one too many, with an audit record. Until there is room for the record it stays open,
     * and so is counted: refusals take no more memory than connections may.
     */
    void turnAway() {
        turnAway(client(info(TCP)));
    }

    private void turnAway(Exchanges.Client client) {
        Exchanges.Permit permit = client.tryPermit(loop(), () -> turnAway(client));
        if (permit != null) {
            permit.record(Ended.refused(new Refusal(
                    TOO_MANY_REQUESTS,
                    "too_many_connections",
                    "the client's address has too many connections",
                    "connection_limit_reached")));
            channel.close();
        }
    }

    /** Writes an audit record of what did not get as far as a request; the connection is the caller's to close. */
    void record(ConnectionInfo info, Ended why) {
        record(client(info), why);
    }

    /** As {@link #record(ConnectionInfo, Ended)}, of a client that is known. */
    void record(Exchanges.Client client, Ended why) {
        Exchanges.Permit permit = client.tryPermit(loop(), () -> record(client, why));
        if (permit != null) {
            permit.record(why);
        }
    }
}

package dev.sallyport.core.net.connection;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeadAccount;
import dev.sallyport.core.net.request.AuthenticatedUser;
import dev.sallyport.core.net.request.CallerSelection;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.core.net.request.ProxyAuthenticator;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A client connection as it moves through the handlers; each handler passes on a copy that knows more. Immutable; used
 * on the connection's loop.
 */
public final class ClientConnection {

    public static final String TCP = "tcp";
    public static final String TLS = "tls";
    public static final String HTTP_1_1 = "http/1.1";
    public static final String SOCKS5 = "socks5";
    public static final String HTTP_2 = "h2";

    private static final int TOO_MANY_REQUESTS = 429;

    private final ConnectionSettings settings;
    private final Channel channel;
    private final InetSocketAddress peer;
    private final Ingress ingress;
    private final Caller caller;
    private final Exchanges.@Nullable Tunnel tunnel;
    private final @Nullable ConnectionProgress progress;
    private final @Nullable String tunnelTarget;
    private final @Nullable String alpn;

    private ClientConnection(
            ConnectionSettings settings,
            Channel channel,
            InetSocketAddress peer,
            Ingress ingress,
            Caller caller,
            Exchanges.@Nullable Tunnel tunnel,
            @Nullable ConnectionProgress progress,
            @Nullable String tunnelTarget,
            @Nullable String alpn) {
        this.settings = settings;
        this.channel = channel;
        this.peer = peer;
        this.ingress = ingress;
        this.caller = caller;
        this.tunnel = tunnel;
        this.progress = progress;
        this.tunnelTarget = tunnelTarget;
        this.alpn = alpn;
    }

    /** @param peer the client, which may differ from the other end of the connection */
    public static ClientConnection accepted(
            ConnectionSettings settings, Channel channel, Ingress ingress, InetSocketAddress peer) {
        CloseActions.begin(channel);
        CallerSelection selection = settings.callers().apply(peer);
        Caller caller = new Caller(selection, null, selection.as(null));
        return new ClientConnection(settings, channel, peer, ingress, caller, null, null, null, null);
    }

    /** Whose requests come over the connection, as far as it is known. */
    private record Caller(
            CallerSelection selection, @Nullable AuthenticatedUser user, Principal principal) {}

    /** The same connection of a user that has authenticated. */
    public ClientConnection as(AuthenticatedUser user) {
        return as(user, caller.selection().as(user));
    }

    /**
     * The same connection of this caller.
     *
     * @param user the user that has authenticated, or null
     */
    public ClientConnection as(@Nullable AuthenticatedUser user, Principal other) {
        return Objects.equals(other, caller.principal()) && Objects.equals(user, caller.user())
                ? this
                : new ClientConnection(
                        settings,
                        channel,
                        peer,
                        ingress,
                        new Caller(caller.selection(), user, other),
                        tunnel,
                        progress,
                        tunnelTarget,
                        alpn);
    }

    /** The connection inside a new tunnel; the tunnel's record is written at the latest when the connection closes. */
    public ClientConnection inside(Exchanges.Tunnel opened, Destination target, String stated) {
        opened.carriedBy(() -> ConnectionDrain.refuse(channel));
        CloseActions.add(channel, opened::closed);
        return new ClientConnection(
                        settings,
                        channel,
                        peer,
                        ingress.through(target),
                        caller,
                        opened,
                        new ConnectionProgress(),
                        stated,
                        null)
                .watched();
    }

    /** The first stage inside this connection's tunnel. */
    public ChannelHandler interior() {
        return settings.interior().begin(this);
    }

    /** The connection within TLS, which the client has begun to speak. */
    public ClientConnection withTls(@Nullable String serverName) {
        Ingress within = ingress.withTls(serverName);
        return progress != null
                ? new ClientConnection(settings, channel, peer, within, caller, tunnel, progress, tunnelTarget, null)
                : new ClientConnection(
                                settings,
                                channel,
                                peer,
                                within,
                                caller,
                                null,
                                new ConnectionProgress(),
                                tunnelTarget,
                                null)
                        .watched();
    }

    private ClientConnection watched() {
        CloseActions.add(channel, () -> {
            if (progress != null) {
                ended(progress.silence(ConnectionDrain.isDraining(channel)));
            }
        });
        return this;
    }

    /** Whether the client may speak TLS with the proxy itself now, and ask for tunnels within. */
    public boolean takesProxyTls() {
        return ingress.opensTunnels()
                && !ingress.proxyTls()
                && ingress.original() == null
                && settings.tls() instanceof ClientTlsMode.Mitm mitm
                && mitm.proxy() != null;
    }

    /** The connection within TLS that the client speaks with the proxy itself. */
    public ClientConnection withinProxyTls() {
        return new ClientConnection(
                settings, channel, peer, ingress.withinProxyTls(), caller, tunnel, progress, tunnelTarget, alpn);
    }

    /** Nothing is to be recorded of the end of this connection: another takes its place. */
    public void settle() {
        if (progress != null) {
            progress.settle();
        }
    }

    /** The connection after the TLS handshake, with the negotiated protocol. */
    public ClientConnection negotiated(@Nullable String protocol) {
        return new ClientConnection(settings, channel, peer, ingress, caller, tunnel, progress, tunnelTarget, protocol);
    }

    /** Finds the caller of a request. */
    public ProxyAuthenticator callers() {
        return new ProxyAuthenticator(settings.users(), ingress, caller.selection(), caller.user());
    }

    public ConnectionSettings settings() {
        return settings;
    }

    public ProxyLimits limits() {
        return settings.limits();
    }

    /**
     * Opens this connection's account for heads, until it closes. Its owner is who is known now to have the connection: the
     * workload of its address, or of its tunnel. Heads are charged before the credentials in them can be read. So users who
     * authenticate with each request, instead of once for a tunnel, are counted by address, whatever organization each of
     * them is of.
     */
    public HeadAccount heads() {
        HeadAccount account = settings.heads().open(loop(), Owner.of(peer, caller.principal()));
        channel.closeFuture().addListener(closed -> account.close());
        return account;
    }

    /**
     * The owner of this connection in the budget for heads.
     *
     * @param peer null for an organization, whose workloads' connections are counted together wherever they come from
     * @param name of the organization, or else of the workload at the address
     */
    private record Owner(@Nullable ClientAddress peer, String name) {

        static Owner of(InetSocketAddress peer, Principal caller) {
            String organization = Callers.organizationOf(caller);
            return organization.isEmpty() || Callers.isUnclaimed(caller.workload())
                    ? new Owner(ClientAddress.of(peer.getAddress()), caller.workload())
                    : new Owner(null, organization);
        }

        // Written out: the generated method would delay the first connection.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Owner owner && Objects.equals(owner.peer, peer) && owner.name.equals(name);
        }

        @Override
        public int hashCode() {
            return 31 * Objects.hashCode(peer) + name.hashCode();
        }
    }

    public Channel channel() {
        return channel;
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    /** The client's address. */
    public InetSocketAddress peer() {
        return peer;
    }

    public Ingress ingress() {
        return ingress;
    }

    /** The facts for policy and audit. */
    public ConnectionInfo info(String protocol) {
        return new ConnectionInfo(
                ingress.listener(),
                new ConnectionInfo.Endpoints(peer, (InetSocketAddress) channel.localAddress()),
                ingress.secure() ? new ConnectionInfo.TlsHandshake(ingress.sni(), alpn) : null,
                protocol,
                tunnelTarget,
                caller.principal());
    }

    /** Records how far this connection got. */
    public void reached(ConnectionProgress.Phase stage) {
        if (progress != null) {
            progress.reached(stage);
        }
    }

    /** A request was read. Called before its permit is requested, because tunnels that kept theirs could deadlock. */
    public void requestRead() {
        if (progress != null && progress.settle() && tunnel != null) {
            tunnel.used();
        }
    }

    /** A caller that sends requests on this connection. */
    public Exchanges.Client client(ConnectionInfo info) {
        return tunnel == null
                ? settings.exchanges().client(info, channel::isActive)
                : tunnel.client(info, channel::isActive);
    }

    /** Whether requests over TLS to this canonical host may switch the connection to another protocol than WebSocket. */
    public boolean maySwitch(String host) {
        return settings.exchanges().maySwitch(caller.principal(), host);
    }

    /** Whether what is neither HTTP nor TLS may be relayed to this destination. */
    public boolean relays(Destination destination) {
        return settings.exchanges().relays(caller.principal(), destination);
    }

    /** The refusal for bytes of no known protocol. */
    public static Refusal unreadable(String code, String detail) {
        return new Refusal(400, code, detail, "http_request_error");
    }

    /** Closes a connection that did not get as far as a request, with an audit record. */
    public void reject(String code, String detail) {
        ended(EarlyTermination.refused(unreadable(code, detail)));
        channel.close();
    }

    /**
     * Records why no request will follow, in the tunnel's record or in one of its own. The first call wins. The
     * connection is the caller's to close, afterwards.
     */
    public void ended(EarlyTermination why) {
        if (progress == null) {
            record(info(TCP), why.of(ingress.original()));
        } else if (progress.settle()) {
            boolean secure = ingress.secure();
            ConnectionInfo inside = info(secure ? TLS : TCP);
            if (tunnel != null) {
                tunnel.ended(inside, why);
            } else {
                record(inside, why.of(ingress.original()));
            }
        }
    }

    /** Records why a connection ended after its first request; in a tunnel without requests, in the tunnel's record. */
    public void broken(ConnectionInfo info, Refusal refusal, boolean requestsRead) {
        EarlyTermination why = EarlyTermination.refused(refusal);
        if (requestsRead || progress == null) {
            record(info, why);
        } else {
            ended(why);
        }
    }

    /**
     * Closes a connection beyond the limit and writes an audit record. Until there is room for the record the
     * connection stays open, and counts: refusals take no more memory than connections may.
     */
    public void turnAway() {
        turnAway(client(info(TCP)));
    }

    private void turnAway(Exchanges.Client client) {
        Exchanges.Permit permit = client.tryRecord(loop(), () -> turnAway(client));
        if (permit != null) {
            permit.record(EarlyTermination.refused(new Refusal(
                    TOO_MANY_REQUESTS,
                    "too_many_connections",
                    "the client's address has too many connections",
                    "connection_limit_reached")));
            channel.close();
        }
    }

    /** Writes the audit record of a connection that did not get as far as a request; the caller closes it. */
    public void record(ConnectionInfo info, EarlyTermination why) {
        record(client(info), why);
    }

    /** As {@link #record(ConnectionInfo, EarlyTermination)}, for a known client. */
    public void record(Exchanges.Client client, EarlyTermination why) {
        Exchanges.Permit permit = client.tryRecord(loop(), () -> record(client, why));
        if (permit != null) {
            permit.record(why);
        }
    }
}

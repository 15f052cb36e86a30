package dev.sallyport.core.net;

import dev.sallyport.core.config.ProxySection.Transparent;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.net.request.Ingress;
import dev.sallyport.spi.ListenerKind;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sets up each accepted connection of one listener: finds the client and its original destination, then adds the first
 * stage.
 */
final class ClientChannelInitializer extends ChannelInitializer<SocketChannel> {

    private final Supplier<ConnectionSettings> connectionSettings;
    private final ClientConnections connections;
    private final ListenerSettings settings;
    private volatile @Nullable OriginalDestinationLookup originals;

    /** @param connectionSettings the settings for connections accepted from now on */
    ClientChannelInitializer(
            Supplier<ConnectionSettings> connectionSettings, ClientConnections connections, ListenerSettings settings) {
        this.connectionSettings = connectionSettings;
        this.connections = connections;
        this.settings = settings;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        InetSocketAddress peer = channel.remoteAddress();
        if (peer == null) {
            channel.close();
            return;
        }
        ConnectionSettings now = connectionSettings.get();
        Ingress ingress = ingress(channel);
        ClientConnection connection = ClientConnection.accepted(now, channel, ingress, peer);
        if (settings.proxyProtocol().contains(peer.getAddress())) {
            channel.pipeline()
                    .addLast(new ProxyProtocolHandler(
                            connection, client -> begin(ClientConnection.accepted(now, channel, ingress, client))));
        } else {
            begin(connection);
        }
    }

    /** Reads nothing from a client that already has too many connections, even behind a load balancer. */
    private void begin(ClientConnection connection) {
        if (connections.admits(connection.channel(), connection.peer().getAddress())) {
            PipelineConfigurator.accepted(connection);
        } else {
            connection.turnAway();
        }
    }

    /** A tunnel client names its own destination, so the tunnel listener ignores the original one. */
    private Ingress ingress(SocketChannel channel) {
        Ingress plain = Ingress.plain(settings.kind());
        if (settings.adopted()) {
            return plain.redirected(channel.localAddress());
        }
        if (settings.transparent() == Transparent.OFF || settings.kind() == ListenerKind.TUNNEL) {
            return plain;
        }
        InetSocketAddress original = originals(channel).of(channel);
        return original == null ? plain : plain.redirected(original);
    }

    /** Made with the first connection: the listener's port is known by then. */
    private OriginalDestinationLookup originals(SocketChannel channel) {
        OriginalDestinationLookup known = originals;
        if (known == null) {
            InetSocketAddress bound = channel.parent().localAddress();
            known = new OriginalDestinationLookup(settings.transparent(), Objects.requireNonNull(bound, "bound"));
            originals = known;
        }
        return known;
    }
}

package dev.sallyport.core.net;

import dev.sallyport.spi.ListenerKind;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What becomes of the connections of one listener: learns who connects and where to, then begins with the stages. */
final class Acceptor extends ChannelInitializer<SocketChannel> {

    private final Supplier<Wiring> wiring;
    private final Connections connections;
    private final ListenerSettings settings;
    private volatile @Nullable OriginalDestination originals;

    /** @param wiring what a connection takes that comes now */
    Acceptor(Supplier<Wiring> wiring, Connections connections, ListenerSettings settings) {
        this.wiring = wiring;
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
        Wiring now = wiring.get();
        Entrance entrance = entrance(channel);
        Entry entry = Entry.accepted(now, channel, entrance, peer);
        if (settings.proxyProtocol().contains(peer.getAddress())) {
            channel.pipeline()
                    .addLast(new ProxyProtocolHandler(
                            entry, client -> begin(Entry.accepted(now, channel, entrance, client))));
        } else {
            begin(entry);
        }
    }

    /** Nothing is read from a client that has too many connections already, whoever it comes through. */
    private void begin(Entry entry) {
        if (connections.admits(entry.channel(), entry.peer().getAddress())) {
            Stages.accepted(entry);
        } else {
            entry.turnAway();
        }
    }

    /** Who asks for a tunnel says where to. */
    private Entrance entrance(SocketChannel channel) {
        Entrance plain = Entrance.plain(settings.kind());
        if (settings.transparency() == Transparency.OFF || settings.kind() == ListenerKind.TUNNEL) {
            return plain;
        }
        InetSocketAddress original = originals(channel).of(channel);
        return original == null ? plain : plain.redirected(original);
    }

    /** Made with the first connection: the listener's port is known by then. */
    private OriginalDestination originals(SocketChannel channel) {
        OriginalDestination known = originals;
        if (known == null) {
            InetSocketAddress bound = channel.parent().localAddress();
            known = new OriginalDestination(settings.transparency(), Objects.requireNonNull(bound, "bound"));
            originals = known;
        }
        return known;
    }
}

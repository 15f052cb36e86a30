package dev.sallyport.core.net;

import dev.sallyport.spi.ListenerKind;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What becomes of the connections of one listener: learns who connects and where to, then begins with the stages. */
final class Acceptor extends ChannelInitializer<SocketChannel> {

    private final Wiring wiring;
    private final ListenerSettings settings;
    private volatile @Nullable OriginalDestination originals;

    Acceptor(Wiring wiring, ListenerSettings settings) {
        this.wiring = wiring;
        this.settings = settings;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        InetSocketAddress peer = channel.remoteAddress();
        if (peer == null) {
            channel.close();
            return;
        }
        Entrance entrance = entrance(channel);
        Entry entry = Entry.accepted(wiring, channel, entrance, peer);
        if (settings.proxyProtocol().contains(peer.getAddress())) {
            channel.pipeline()
                    .addLast(new ProxyProtocolHandler(
                            entry, client -> Stages.accepted(Entry.accepted(wiring, channel, entrance, client))));
        } else {
            Stages.accepted(entry);
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

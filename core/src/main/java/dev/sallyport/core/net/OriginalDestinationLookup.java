package dev.sallyport.core.net;

import dev.sallyport.core.config.ProxySection.Transparent;
import dev.sallyport.toolkit.match.Addresses;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the original destination of connections that the kernel redirected to a listener. Linux only. Thread-safe. */
final class OriginalDestinationLookup {

    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;
    private static final int SO_ORIGINAL_DST = 80;

    /** {@code sockaddr_in}: family, port, address, padding. */
    private static final RawUnixChannelOption IPV4 =
            new RawUnixChannelOption("SO_ORIGINAL_DST", SOL_IP, SO_ORIGINAL_DST, 16);

    /** {@code sockaddr_in6}: family, port, flow, address, scope. */
    private static final RawUnixChannelOption IPV6 =
            new RawUnixChannelOption("IP6T_SO_ORIGINAL_DST", SOL_IPV6, SO_ORIGINAL_DST, 28);

    private static final int PORT_AT = 2;
    private static final int IPV4_AT = 4;
    private static final int IPV6_AT = 8;

    private final Transparent mode;
    private final InetSocketAddress listener;
    private final Set<InetAddress> own;

    /** @param listener where it is bound; a wildcard stands for every address that this machine has now */
    OriginalDestinationLookup(Transparent mode, InetSocketAddress listener) {
        this.mode = mode;
        this.listener = listener;
        boolean wildcard = listener.getAddress().isAnyLocalAddress();
        this.own = mode == Transparent.TPROXY && wildcard ? Addresses.ofThisMachine() : Set.of(listener.getAddress());
    }

    /** The original destination of this connection, or null when the client meant the proxy itself. */
    @Nullable InetSocketAddress of(SocketChannel channel) {
        InetSocketAddress local = channel.localAddress();
        InetSocketAddress original = switch (mode) {
            case OFF -> null;
            case REDIRECT -> translated(channel, local.getAddress() instanceof Inet4Address);
            case TPROXY -> isOwn(local) ? null : local;
        };
        return local.equals(original) && mode == Transparent.REDIRECT ? null : original;
    }

    private boolean isOwn(InetSocketAddress local) {
        InetAddress address = local.getAddress();
        return local.getPort() == listener.getPort() && (address.isLoopbackAddress() || own.contains(address));
    }

    /** The kernel has an answer only for connections that it tracks; the others were not redirected. */
    private static @Nullable InetSocketAddress translated(SocketChannel channel, boolean v4) {
        ByteBuffer raw;
        try {
            raw = channel.config().getOption(v4 ? IPV4 : IPV6);
        } catch (ChannelException e) {
            return null;
        }
        return raw == null ? null : address(raw, v4);
    }

    private static InetSocketAddress address(ByteBuffer socket, boolean v4) {
        byte[] address = new byte[v4 ? 4 : 16];
        socket.get(v4 ? IPV4_AT : IPV6_AT, address);
        int port = socket.getShort(PORT_AT) & 0xFFFF;
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + address.length + " bytes", e);
        }
    }
}
